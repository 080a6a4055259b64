/** Who is who: names for the ids that events, tasks and logs have. */
import { useMemo } from 'react'
import { useMode } from './mode.ts'
import { useApp } from './read.ts'
import { useSession } from './session-store.ts'

export interface Actor {
  readonly id: string
  readonly name: string
  readonly email: string | null
}

export interface People {
  /** Active members, for choosing. */
  readonly active: readonly Actor[]
  /** What an id is called; the id itself where nobody knows it. */
  readonly nameOf: (id: string) => string
  readonly isLoaded: boolean
}

export function useDirectory(): People {
  const mode = useMode()
  const { organization } = useSession()
  const { data } = useApp('GET directory', { query: { mode } })
  return useMemo(() => {
    // A key of the organization acts as the organization.
    const names = new Map<string, string>([[organization.id, organization.name]])
    if (data !== undefined) {
      for (const { id, name } of [...data.people, ...data.flows, ...data.applications, data.service_user]) {
        names.set(id, name)
      }
      // What a deleted key was called is forgotten.
      for (const { id, name, is_deleted } of data.keys) names.set(id, is_deleted ? 'a deleted key' : name)
    }
    return {
      active: (data?.people ?? []).filter(({ status }) => status === 'active'),
      nameOf: (id) => names.get(id) ?? id,
      isLoaded: data !== undefined,
    }
  }, [data, organization.id, organization.name])
}

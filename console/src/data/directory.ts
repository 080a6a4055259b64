/** Names for the ids in events, tasks and logs. */
import { useMemo } from 'react'
import { useMode } from './mode.ts'
import { useApp } from './read.ts'
import { useSession } from './session-store.ts'

export interface Actor {
  readonly id: string
  readonly name: string
  readonly email: string | null
  /** The projects that a guest sees; null: all of them. */
  readonly guest_of: readonly string[] | null
}

export interface Team {
  readonly id: string
  readonly name: string
  readonly people: readonly string[]
}

/** The names of a person's teams, which find the person in selections. */
export function teamWords(teams: readonly Team[], user: string): string {
  return teams
    .filter(({ people }) => people.includes(user))
    .map(({ name }) => name)
    .join(' ')
}

/** Whether a person sees tasks of all these projects; null stands for tasks without one. */
export function seesProjects({ guest_of }: Actor, projects: readonly (string | null)[]): boolean {
  return guest_of === null || projects.every((project) => project !== null && guest_of.includes(project))
}

export interface People {
  /** Active members, for selections. */
  readonly active: readonly Actor[]
  /** The teams with the user ids of their people; guests see none. */
  readonly teams: readonly Team[]
  /** The name of an id, of a deleted team its last one; the id itself if it is unknown. */
  readonly nameOf: (id: string) => string
  readonly isLoaded: boolean
  /** Whether names are being read for the first time: ids stand for them until then. */
  readonly isLoading: boolean
}

export function useDirectory(): People {
  const mode = useMode()
  const { organization } = useSession()
  const { data, isLoading } = useApp('GET directory', { query: { mode } })
  return useMemo(() => {
    // A key owned by the organization acts as the organization.
    const names = new Map<string, string>([[organization.id, organization.name]])
    if (data !== undefined) {
      const teams = [...data.former_teams, ...data.teams]
      for (const { id, name } of [...data.people, ...teams, ...data.flows, ...data.applications, data.service_user]) {
        names.set(id, name)
      }
      // The server erases the names of deleted keys.
      for (const { id, name, is_deleted } of data.keys) names.set(id, is_deleted ? 'Deleted key' : name)
    }
    return {
      teams: data?.teams ?? [],
      active: (data?.people ?? []).filter(({ status }) => status === 'active'),
      nameOf: (id) => names.get(id) ?? id,
      isLoaded: data !== undefined,
      isLoading,
    }
  }, [data, isLoading, organization.id, organization.name])
}

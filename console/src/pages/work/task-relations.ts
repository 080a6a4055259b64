/**
 * The parents and dependencies of tasks on the page. Rows and cards ask one by one; what is asked within a moment is read
 * together, at most `tasks_max` tasks a request. Events of dependencies and tasks refresh what is shown.
 */

import type { AtriumEvent } from '@atrium/sdk'
import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { app, keys, useEvents, useMode } from '../../data/index.ts'
import type { AnswerOf, Mode, NamedTask, TaskRelation } from '../../data/shapes.ts'

/** Tasks of one request, the most that the endpoint takes. */
const tasks_max = 100
/** Requests of rows that are drawn together arrive within this time. */
const gather_ms = 15

type Answer = AnswerOf<'GET tasks/relations'>

/** A dependency of a task, with the task at its other end. */
export interface Relation extends TaskRelation {
  readonly other: NamedTask
}

export interface Relations {
  readonly parent: NamedTask | null
  /** Dependencies in both directions, oldest first. */
  readonly rows: readonly Relation[]
}

interface Asked {
  readonly id: string
  readonly parent: string | null
  readonly resolve: (relations: Relations) => void
  readonly reject: (error: unknown) => void
}

const asked = new Map<Mode, Asked[]>()

function ask(mode: Mode, id: string, parent: string | null): Promise<Relations> {
  return new Promise((resolve, reject) => {
    const waiting = asked.get(mode)
    if (waiting !== undefined) waiting.push({ id, parent, resolve, reject })
    else {
      asked.set(mode, [{ id, parent, resolve, reject }])
      setTimeout(() => readAsked(mode), gather_ms)
    }
  })
}

function readAsked(mode: Mode): void {
  const all = asked.get(mode) ?? []
  asked.delete(mode)
  const ids = [...new Set(all.map(({ id }) => id))]
  for (let i = 0; i < ids.length; i += tasks_max) {
    const page = ids.slice(i, i + tasks_max)
    const own = all.filter(({ id }) => page.includes(id))
    app('GET tasks/relations', { query: { mode, tasks: page.join(',') } }, { stepUp: false }).then(
      (answer) => {
        for (const each of own) each.resolve(relationsOf(each, answer))
      },
      (error: unknown) => {
        for (const { reject } of own) reject(error)
      },
    )
  }
}

function relationsOf({ id, parent }: Asked, { dependencies, tasks }: Answer): Relations {
  const named = new Map(tasks.map((task) => [task.id, task]))
  const rows = dependencies.flatMap((dependency) => {
    if (dependency.from !== id && dependency.to !== id) return []
    const other = named.get(dependency.from === id ? dependency.to : dependency.from)
    return other === undefined ? [] : [{ ...dependency, other }]
  })
  return { parent: parent === null ? null : (named.get(parent) ?? null), rows }
}

/** Under the key of dependencies, so that writes and events of them find it; not a list, whose rows would be merged. */
function keyOf(mode: Mode, id: string, parent: string | null) {
  return [...keys.lists(mode, 'dependency'), { relations: id, parent }] as const
}

/** The relations of a task; undefined until they are read. */
export function useRelations({ id, parent }: { readonly id: string; readonly parent: string | null }) {
  const mode = useMode()
  const client = useQueryClient()
  const onEvent = useCallback(
    (event: AtriumEvent) => refreshOther(client, mode, id, parent, event),
    [client, mode, id, parent],
  )
  useEvents(onEvent)
  return useQuery({ queryKey: keyOf(mode, id, parent), queryFn: () => ask(mode, id, parent) })
}

/** The relations of several tasks, of those that are read. */
export function useManyRelations(
  tasks: readonly { readonly id: string; readonly parent: string | null }[],
): ReadonlyMap<string, Relations> {
  const mode = useMode()
  const results = useQueries({
    queries: tasks.map(({ id, parent }) => ({
      queryKey: keyOf(mode, id, parent),
      queryFn: () => ask(mode, id, parent),
    })),
  })
  return new Map(tasks.flatMap(({ id }, i) => (results[i]?.data === undefined ? [] : [[id, results[i].data]])))
}

/** Takes title and status of the parent and of other ends from their events. */
function refreshOther(client: QueryClient, mode: Mode, id: string, parent: string | null, event: AtriumEvent): void {
  if (!event.type.startsWith('workflow.task.')) return
  const now = event.data.object as NamedTask
  if (typeof now.title !== 'string') return
  client.setQueryData<Relations>(keyOf(mode, id, parent), (was) => {
    if (was === undefined || !(was.parent?.id === now.id || was.rows.some(({ other }) => other.id === now.id)))
      return was
    const { key, title, status } = now
    const named = { id: now.id, key, title, status }
    return {
      parent: was.parent?.id === now.id ? named : was.parent,
      rows: was.rows.map((row) => (row.other.id === now.id ? { ...row, other: named } : row)),
    }
  })
}

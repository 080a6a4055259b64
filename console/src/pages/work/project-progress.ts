/** How far projects are, and when something in them was last changed. */
import type { Project, Task } from '@atrium/sdk'
import { useAll, useApp, useMode } from '../../data/index.ts'

/** Counts are this old at most. */
const poll_ms = 30_000

export interface Progress {
  readonly done: number
  /** Tasks that are not canceled. */
  readonly all: number
}

/** The progress of active projects by id; undefined until it is read. */
export function useProgress(): ReadonlyMap<string, Progress> | undefined {
  const mode = useMode()
  const query = { mode, by: 'project' }
  const all = useApp(
    'GET tasks/groups',
    { query: { ...query, filter: 'NOT status = canceled' } },
    { every_ms: poll_ms },
  )
  const done = useApp('GET tasks/groups', { query: { ...query, filter: 'status = done' } }, { every_ms: poll_ms })
  if (all.data === undefined || done.data === undefined) return undefined
  const doneOf = new Map(done.data.groups.map(({ value, count }) => [value, count]))
  return new Map(
    all.data.groups.map(({ value, count }) => [
      String(value),
      { all: count, done: Math.min(count, doneOf.get(value) ?? 0) },
    ]),
  )
}

/** When the project or one of its tasks was changed last, in Unix seconds. */
export function useLastChange({ id, status, updated }: Project): number {
  const params = { project: id, sort: '-updated', is_archived: status === 'archived', limit: 1 } as const
  const { data } = useAll<Task>('task', { ...params, newest: true }, (atrium) => atrium.tasks.list(params), { max: 1 })
  return Math.max(updated, data?.[0]?.updated ?? 0)
}

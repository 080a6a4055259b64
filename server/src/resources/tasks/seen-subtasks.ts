/**
 * What a guest sees of parents and subtasks, which may be in other projects of the workspace: a task has the parent that the guest sees,
 * or none, and counts the subtasks that the guest sees.
 */
import { sql } from 'kysely'
import type { GuestAccess } from '../../api/declare/caller.ts'
import { limits } from '../../api/limits.ts'
import { isOneOf } from '../../db/dialect.ts'
import { query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'

interface Sought {
  readonly [name: string]: string | number
  readonly realm: number
  readonly ids: string
  readonly projects: string
}

/** With a condition on the projects SQLite would look up each task in each project. */
const placesOf = query<{ id: string; project: string | null }, { realm: number; ids: string }>((db, p, dialect) =>
  db
    .selectFrom('tasks')
    .select(['id', 'project'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

interface Counts {
  readonly parent: string | null
  readonly count: number
  readonly done: number
}

const countsOf = query<Counts, Sought>((db, p, dialect) =>
  db
    .selectFrom('tasks')
    .select((eb) => ['parent', eb.fn.countAll<number>().as('count')])
    .select(sql<number>`sum(case when status = 'done' then 1 else 0 end)`.as('done'))
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'parent', p('ids')))
    .where(isOneOf(dialect, 'project', p('projects')))
    .groupBy('parent'),
)

/** A task as it is shown; `expand` may have replaced other fields. */
interface ShownTask {
  readonly id: string
  readonly parent: string | null
  readonly subtask_count: number
  readonly subtask_done_count: number
}

interface From {
  readonly reader: Reader
  readonly caller: { readonly realm: number }
}

/** Shown tasks as a guest sees them. A task without parent and subtasks elsewhere is returned as it is. */
export async function subtasksSeenBy<T extends ShownTask>(
  tasks: readonly T[],
  guest: GuestAccess,
  { reader, caller }: From,
): Promise<T[]> {
  const projects = JSON.stringify([...guest.projects])
  const above = [...new Set(tasks.flatMap(({ parent }) => parent ?? []))]
  const bound = { realm: caller.realm, projects }
  const sought = { realm: caller.realm, ids: JSON.stringify(above) }
  const places = above.length === 0 ? [] : await reader.all(placesOf, sought)
  const parents = new Set(places.flatMap(({ id, project }) => (guest.projects.has(project ?? '') ? [id] : [])))
  const counts = await seenCounts(reader, bound, tasks)
  return tasks.map((task) => {
    const parent = task.parent !== null && parents.has(task.parent) ? task.parent : null
    const { count = 0, done = 0 } = counts.get(task.id) ?? {}
    const isWhole = parent === task.parent && count === task.subtask_count && done === task.subtask_done_count
    // A bulk change answers deleted tasks without these fields.
    if (isWhole || task.subtask_count === undefined) return task
    return { ...task, parent, subtask_count: count, subtask_done_count: done }
  })
}

/** In statements over few subtasks, because SQLite answers no other request during one. */
async function seenCounts(
  reader: Reader,
  bound: { readonly realm: number; readonly projects: string },
  tasks: readonly ShownTask[],
): Promise<Map<string, { readonly count: number; readonly done: number }>> {
  const counts = new Map<string, { count: number; done: number }>()
  for (const ids of portionsOf(tasks)) {
    for (const { parent, count, done } of await reader.all(countsOf, { ...bound, ids: JSON.stringify(ids) })) {
      // PostgreSQL returns counts and sums as texts.
      counts.set(parent ?? '', { count: Number(count), done: Number(done) })
    }
  }
  return counts
}

/** The ids of tasks that have subtasks, in portions of about `limits.guest_subtasks_slice` subtasks. */
function portionsOf(tasks: readonly ShownTask[]): string[][] {
  const portions: string[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const { id, subtask_count = 0 } of tasks) {
    if (subtask_count === 0) continue
    if (size >= limits.guest_subtasks_slice) {
      portions.push([])
      size = 0
    }
    portions.at(-1)?.push(id)
    size += subtask_count
  }
  return portions
}

/**
 * Parents of tasks (contract/15#subtasks). Invariants: a parent is in the task's workspace; at most
 * `limits.task_levels_max` tasks stand from root to leaf; no task is below itself; a task has at most `limits.subtasks_max`
 * direct children; the counts of a parent are those of its direct children that are not deleted.
 */
import { sql } from 'kysely'
import { guestOf } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { findById } from '../../../api/declare/noun.ts'
import { limits } from '../../../api/limits.ts'
import { findReference } from '../../../api/request/references.ts'
import { applyChange } from '../../../api/write/change.ts'
import { type Placeholder, query, rawQuery } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { taskUpdated } from '../events.ts'
import { showTask, taskNoun } from '../task.ts'
import type { TaskWork } from './work.ts'

const byId = findById('tasks')

const findHeight = rawQuery(
  (p: Placeholder<{ realm: number; task: string; levels: number }>) => sql<{ height: number }>`
    with recursive below (id, height) as (
      select tasks.id, 1 from tasks where tasks.realm = ${p('realm')} and tasks.id = ${p('task')}
      union all
      select tasks.id, below.height + 1 from below join tasks on tasks.parent = below.id
      where tasks.realm = ${p('realm')} and tasks.deleted_at is null and below.height < ${p('levels')})
    select max(below.height) as height from below`,
)

/**
 * The live task that a request names as parent. Refuses an unknown one, one of another workspace and the task itself with
 * 400; a cycle, too many levels and an archived parent with 409. `task` is undefined for a new one.
 */
export async function requireParent(
  work: Pick<TaskWork, 'tx' | 'caller'>,
  workspace: string,
  sent: string,
  prefix: string,
  task?: TaskRow,
): Promise<TaskRow> {
  const { tx, caller } = work
  const param = `${prefix}parent`
  const parent = await findReference(taskNoun, work, sent, param, workspace)
  if (parent.id === task?.id) {
    throw refuse('invalid_request_body', { param, message: `${param} "${sent}" is the task itself.` })
  }
  if (parent.is_archived === 1) {
    throw refuse('resource_conflict', { param, message: `The project of ${param} "${sent}" is archived.` })
  }
  let levels = 1
  for (let above = parent.parent; above !== null && levels <= limits.task_levels_max; levels++) {
    if (above === task?.id)
      throw refuse('resource_conflict', { param, message: `${param} "${sent}" is below the task.` })
    above = (await tx.first(byId, { realm: caller.realm, id: above }))?.parent ?? null
  }
  if (task !== undefined && task.subtask_count > 0) {
    const bound = { realm: caller.realm, task: task.id, levels: limits.task_levels_max }
    levels += (await tx.first(findHeight, bound))?.height ?? 1
  } else levels++
  if (levels > limits.task_levels_max) {
    const message = `Below ${param} "${sent}" there would be more than ${limits.task_levels_max} levels of tasks.`
    throw refuse('resource_conflict', { param, message })
  }
  return parent
}

/**
 * The parent of a task after a request that sets none: null, or the parent that a guest does not see, because to the guest the task
 * has none already.
 */
export async function parentWithout(
  { tx, caller }: Pick<TaskWork, 'tx' | 'caller'>,
  task: TaskRow,
): Promise<string | null> {
  if (guestOf(caller) === null || task.parent === null) return null
  return (await taskNoun.find(tx, caller, task.parent)) === undefined ? task.parent : null
}

interface Counts {
  count: number
  done: number
}

/** The changes of subtask counts in a commit. They are written last, each parent once. */
export class SubtaskCounts {
  private readonly changes = new Map<string, Counts>()

  /** Notes that a task was created (no `before`), changed or deleted (no `after`). */
  note(before: TaskRow | null, after: TaskRow | null): void {
    this.add(before, -1)
    this.add(after, 1)
  }

  private add(task: TaskRow | null, by: number): void {
    if (task === null || task.parent === null) return
    const counts = this.changes.get(task.parent) ?? { count: 0, done: 0 }
    counts.count += by
    if (task.status === 'done') counts.done += by
    this.changes.set(task.parent, counts)
  }

  /** Changes the parents, each with an event, and returns those that changed. Refuses too many children with 409. */
  async write({ tx, caller, now, emit }: TaskWork): Promise<TaskRow[]> {
    const written: TaskRow[] = []
    for (const [id, { count, done }] of this.changes) {
      if (count === 0 && done === 0) continue
      const row = await tx.first(byId, { realm: caller.realm, id })
      if (row === undefined || row.deleted_at !== null) continue
      if (count > 0 && row.subtask_count + count > limits.subtasks_max) throw tooManySubtasks(row)
      const counts = {
        subtask_count: row.subtask_count + count,
        subtask_done_count: row.subtask_done_count + done,
      }
      const changed = applyChange(tx, 'tasks', row, counts, now)
      if (changed === null) continue
      emit(taskUpdated, showTask(changed), showTask(row))
      written.push(changed)
    }
    return written
  }
}

function tooManySubtasks({ key, subtask_count }: TaskRow): Error {
  const message = `The task ${key} has ${subtask_count} subtasks; at most ${limits.subtasks_max} are allowed.`
  return refuse('resource_conflict', { param: 'parent', message })
}

/** The live children of a task, oldest first. */
const childrenOf = query<TaskRow, { realm: number; parent: string }>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('parent', '=', p('parent'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

const clearParent = query((db, p: Placeholder<{ updated: number; realm: number; parent: string }>) =>
  db
    .updateTable('tasks')
    .set((task) => ({ parent: null, updated: p('updated'), revision: task('revision', '+', 1) }))
    .where('realm', '=', p('realm'))
    .where('parent', '=', p('parent'))
    .where('deleted_at', 'is', null),
)

/** Detaches the children of a task that is deleted, each with an event. */
export async function detachChildren({ tx, now, emit }: TaskWork, task: TaskRow): Promise<void> {
  if (task.subtask_count === 0) return
  const bound = { realm: task.realm, parent: task.id }
  const children = await tx.all(childrenOf, bound)
  tx.write(clearParent, { ...bound, updated: now })
  for (const child of children) {
    const detached = { ...child, parent: null, updated: now, revision: child.revision + 1 }
    emit(taskUpdated, showTask(detached), showTask(child))
  }
}

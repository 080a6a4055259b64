/**
 * Writes back what an undo has planned. What the previous values refer to must still be usable: a refusal names the task and
 * the reason. The order is: dependencies to delete, tasks in the reverse order of their changes, dependencies to create.
 */
import { Refusal, refuse } from '../../api/declare/errors.ts'
import { findById } from '../../api/declare/noun.ts'
import { findReference } from '../../api/request/references.ts'
import { markDeleted } from '../../api/write/change.ts'
import type { TaskRow } from '../../db/schema.ts'
import { columnNoun } from '../columns/column.ts'
import { type Dependency, showDependency } from '../dependencies/dependency.ts'
import { dependencyDeleted } from '../dependencies/events.ts'
import { createDependency } from '../dependencies/shared/create.ts'
import { userNoun } from '../members/member.ts'
import { projectNoun } from '../projects/project.ts'
import { requireActive, writeChange, writeDelete } from '../tasks/shared/change.ts'
import { formerColumns, restorable_fields } from '../tasks/shared/former.ts'
import { commentsOf, dependenciesOf } from '../tasks/shared/queries.ts'
import { requireParent, SubtaskCounts } from '../tasks/shared/subtasks.ts'
import type { TaskWork } from '../tasks/shared/work.ts'
import type { Edge, Fields, TaskPlan } from './plan.ts'
import { childOf, columnWithStatus, dependencyOf, timeEntryOf } from './queries.ts'

const byId = findById('tasks')

/** What the dependencies of an undo are: to delete and to create. */
interface EdgePlan {
  readonly remove: readonly Edge[]
  readonly add: readonly Edge[]
}

/** `since` is when the oldest undone change was made, in milliseconds. */
export async function writeUndo(work: TaskWork, plans: readonly TaskPlan[], edges: EdgePlan, since: number) {
  for (const edge of edges.remove) await removeEdge(work, edge)
  const counts = new SubtaskCounts()
  for (const plan of plans) {
    const task = (await liveTask(work, plan.id)) as TaskRow
    if (plan.isDeleted) await removeCreated(work, task, counts)
    else await restoreFields(work, task, plan, counts, since)
  }
  await counts.write(work)
  for (const edge of edges.add) await addEdge(work, edge)
  for (const { id, fields } of plans) if (fields.project !== undefined) await requireOneProject(work, id)
}

async function liveTask({ tx, caller }: TaskWork, id: string): Promise<TaskRow | undefined> {
  const row = await tx.first(byId, { realm: caller.realm, id })
  return row === undefined || row.deleted_at !== null ? undefined : row
}

/** A refusal that says which task stands in the way, and why. */
export function obstacle(key: string, reason: string): Error {
  return refuse('resource_conflict', { param: 'requests', message: `${key} cannot be restored: ${reason}` })
}

/** Turns a refusal of a rule of tasks into one about the task. */
async function named<T>(key: string, check: () => Promise<T> | T): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw obstacle(key, error.message)
  }
}

async function removeEdge(work: TaskWork, { from, to, kind }: Edge): Promise<void> {
  const { tx, caller, now, emit } = work
  const row = await tx.first(dependencyOf, { realm: caller.realm, from, to, kind })
  const task = await liveTask(work, from)
  if (row === undefined || task === undefined) throw obstacle(task?.key ?? from, 'its dependency was deleted since.')
  await named(task.key, () => requireActive(task))
  markDeleted(tx, 'dependencies', row, now)
  emit(dependencyDeleted, showDependency(row))
}

/** Creates a dependency that ended with an undone change. It gets a new id: a deleted id stays deleted. */
async function addEdge(work: TaskWork, { from: id, to, kind }: Edge): Promise<void> {
  const from = await liveTask(work, id)
  if (from === undefined) throw obstacle(id, 'it was deleted since.')
  await named(from.key, () => createDependency(work, from, { to, kind: kind as Dependency['kind'] }))
}

/** Deletes a task that an undone change created, unless others have added to it since. */
async function removeCreated(work: TaskWork, task: TaskRow, counts: SubtaskCounts): Promise<void> {
  const { tx } = work
  const bound = { realm: task.realm, task: task.id }
  const additions: readonly [string, () => Promise<unknown> | unknown][] = [
    ['subtasks', () => tx.first(childOf, bound)],
    ['comments', async () => (await tx.all(commentsOf, bound))[0]],
    ['dependencies', async () => (await tx.all(dependenciesOf, bound))[0]],
    ['time entries', () => tx.first(timeEntryOf, bound)],
  ]
  for (const [name, find] of additions) {
    if ((await find()) !== undefined) throw obstacle(task.key, `it was created then and has ${name} now.`)
  }
  await named(task.key, () => writeDelete(work, task, counts))
}

/** Writes the previous fields of a task. */
async function restoreFields(
  work: TaskWork,
  task: TaskRow,
  plan: TaskPlan,
  counts: SubtaskCounts,
  since: number,
): Promise<void> {
  const unknown = Object.keys(plan.fields).find((name) => !restorable_fields.has(name))
  if (unknown !== undefined) throw obstacle(task.key, `its ${unknown} cannot be undone.`)
  await named(task.key, async () => {
    requireActive(task)
    await requireUsable(work, task, plan.fields, since)
  })
  const fields = formerColumns(task, plan.fields)
  const isPlaced = fields.position !== undefined
  const place = isPlaced ? { position: fields.position as number, renumbered: [] } : null
  writeChange(work, task, { fields, place, ended: [] }, counts)
}

/** Refuses values that can no longer be used: a deleted column, an inactive assignee, a parent that is below the task. */
async function requireUsable(work: TaskWork, task: TaskRow, fields: Fields, since: number): Promise<void> {
  const { project, assignee, parent } = fields as Readonly<Record<string, string | null | undefined>>
  if (project) {
    const row = await findReference(projectNoun, work, project, 'project', task.workspace)
    if (row.status === 'archived') throw refuse('resource_conflict', { message: 'its project is archived.' })
  }
  if (fields.column !== undefined || fields.status !== undefined || project !== undefined) {
    await requireColumn(work, { ...task, ...fields } as TaskRow, since)
  }
  if (assignee) {
    const row = await findReference(userNoun, work, assignee, 'assignee')
    if (row.status !== 'active') {
      throw refuse('resource_conflict', { message: 'its former assignee is not an active member.' })
    }
  }
  if (parent) await requireParent(work, task.workspace, parent, '', task)
}

/** The column is one of the project, and its status has not begun to contradict that of the task. */
async function requireColumn(work: TaskWork, { project, column, status, workspace }: TaskRow, since: number) {
  if (column === null) return
  const row = await findReference(columnNoun, work, column, 'column', workspace)
  if (row.project !== project) throw refuse('resource_conflict', { message: 'its column is in another project.' })
  if (row.status === null || row.status === status) return
  const bound = { realm: row.realm, project: row.project, status }
  const isNew = row.updated > since || (await work.tx.first(columnWithStatus, bound)) !== undefined
  if (!isNew) return
  const message = `its column "${row.name}" has the status "${row.status}" now, and the task had "${status}".`
  throw refuse('resource_conflict', { message })
}

/** Refuses a task whose dependencies lead to another project than its own: they were created since it moved. */
async function requireOneProject(work: TaskWork, id: string): Promise<void> {
  const task = await liveTask(work, id)
  if (task === undefined) return
  for (const { from, to } of await work.tx.all(dependenciesOf, { realm: task.realm, task: id })) {
    const other = await liveTask(work, from === id ? to : from)
    if (other?.project !== task.project)
      throw obstacle(task.key, 'it has dependencies in the project that it is in now.')
  }
}

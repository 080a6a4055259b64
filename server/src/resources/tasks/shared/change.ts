/**
 * Changes and deletes tasks for PATCH, complete, move and automations, so that all follow the same rules.
 * Invariants: `done` ⇔ `completed_at`; a column is one of the task's project; dependencies stay within one project;
 * every check comes before the first write; without a difference nothing is written (contract/05#unchanged-writes).
 */

import { guestOf } from '../../../api/declare/caller.ts'
import { mergedText } from '../../../api/declare/custom-fields.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import { findReference } from '../../../api/request/references.ts'
import { applyChange, markDeleted } from '../../../api/write/change.ts'
import type { DependencyRow, TaskRow } from '../../../db/schema.ts'
import { storedMentions } from '../../../text/mentions.ts'
import { showComment } from '../../comments/comment.ts'
import { commentDeleted } from '../../comments/events.ts'
import { showDependency } from '../../dependencies/dependency.ts'
import { dependencyDeleted } from '../../dependencies/events.ts'
import { changeAttachments, requireFiles } from '../../files/shared/attachments.ts'
import { storedTime } from '../columns.ts'
import { taskCompleted, taskDeleted, taskMoved, taskReopened, taskUpdated } from '../events.ts'
import { foldText } from '../filter/sql.ts'
import { changedPlainColumns, showTask, type Task, type TaskChanges, task_priorities, taskNoun } from '../task.ts'
import { TaskReferences } from '../task-references.ts'
import { refuseContradiction } from './completion.ts'
import { type CreatedTask, refuseLateStart } from './create.ts'
import { changeTerms } from './insert.ts'
import { behind, lastPosition, listOf, type PlaceInList, placeBeside, renumber } from './order.ts'
import { commentsOf, dependenciesOf } from './queries.ts'
import { settle } from './settle.ts'
import { detachChildren, parentWithout, requireParent, SubtaskCounts } from './subtasks.ts'
import type { TaskWork } from './work.ts'

/** Every event that `changeTask` may emit. */
export const taskChangeEvents = [taskUpdated, taskCompleted, taskReopened, taskMoved, dependencyDeleted] as const

/** Every event that `deleteTask` may emit. */
export const taskDeleteEvents = [taskDeleted, taskUpdated, commentDeleted, dependencyDeleted] as const

/** Refuses a write on a task of an archived project (contract/15#archived-projects). */
export function requireActive(task: TaskRow): void {
  if (task.is_archived === 1) throw refuse('resource_conflict', { message: "The task's project is archived." })
}

/** Moves a task to a project and column, and beside another task. */
export async function moveTask(
  work: TaskWork,
  task: TaskRow,
  changes: Pick<TaskChanges, 'project' | 'column'>,
  beside: Beside | undefined,
): Promise<Task> {
  return (await change(work, task, changes, beside))?.shown ?? showTask(task)
}

/**
 * Changes a task and returns the changed row, or the same row when nothing differs. Emits one event of the most specific
 * type, and one for each dependency that is deleted because the task leaves its project.
 */
export async function changeTask(work: TaskWork, task: TaskRow, changes: TaskChanges): Promise<TaskRow> {
  return (await change(work, task, changes))?.row ?? task
}

/** The same, but returns the object of the event, so that an answer with this object reuses the event's stored text. */
export async function changeShownTask(work: TaskWork, task: TaskRow, changes: TaskChanges): Promise<Task> {
  return (await change(work, task, changes))?.shown ?? showTask(task)
}

/** `null` when nothing differs. */
async function change(
  work: TaskWork,
  task: TaskRow,
  changes: TaskChanges,
  beside?: Beside,
): Promise<CreatedTask | null> {
  const planned = await planChange(work, task, changes, '', { beside })
  const counts = new SubtaskCounts()
  const changed = writeChange(work, task, planned, counts)
  await counts.write(work)
  return changed
}

/** The task that a moved one is put beside, as a request names it. */
export interface Beside {
  readonly side: 'before' | 'after'
  readonly task: string
}

/** A change that is checked and not yet written. */
export interface PlannedChange {
  readonly fields: Partial<TaskRow>
  readonly place: PlaceInList | null
  readonly ended: readonly DependencyRow[]
}

/** What the changes of one commit share: references that were looked up, and the last position of lists. */
export interface SharedPlan {
  readonly references: TaskReferences
  readonly ends: Map<string, number>
}

/** Of tasks of one workspace. */
export function sharedPlan(work: TaskWork, workspace: string): SharedPlan {
  return { references: new TaskReferences(work, workspace), ends: new Map() }
}

/** Checks a change completely. Refusals name a field with `prefix` before it. */
export async function planChange(
  work: TaskWork,
  task: TaskRow,
  changes: TaskChanges,
  prefix: string,
  { beside, shared }: { readonly beside?: Beside | undefined; readonly shared?: SharedPlan },
): Promise<PlannedChange> {
  const { tx, now } = work
  requireActive(task)
  refuseContradiction(changes.status, changes.completed_at, prefix)
  const own = ownFields(task, changes, prefix)
  refuseLateStart({ ...task, ...own }, prefix)
  const references = shared?.references ?? new TaskReferences(work, task.workspace)
  await references.fields.requireFitting(changes.custom_fields, prefix, task.custom_fields)
  const { status, ...placement } = await settle(work, references, changes, prefix, task)
  const fields: Partial<TaskRow> = { ...own, ...placement, ...nextState(task, { ...changes, status }, now, prefix) }
  const { assignee, parent } = changes
  if (assignee && assignee !== task.assignee) await references.requireAssignee(assignee, prefix)
  if (assignee !== undefined) fields.assignee = assignee
  if (parent === null) fields.parent = await parentWithout(work, task)
  // Also of the present parent, which a guest may not see.
  else if (parent !== undefined && (parent !== task.parent || guestOf(work.caller) !== null)) {
    fields.parent = (await requireParent(work, task.workspace, parent, prefix, task)).id
  }
  await requireFiles(work, task.workspace, changes.attachments, `${prefix}attachments`, task.attachments)
  const target = { ...task, ...placement }
  const place = beside === undefined ? null : await placeOf(work, task, target, beside)
  if (place !== null) fields.position = place.position
  else if (listOf(target) !== listOf(task)) {
    const list = listOf(target)
    fields.position = behind(shared?.ends.get(list) ?? (await lastPosition(tx, task.realm, list)), task.position)
    shared?.ends.set(list, fields.position)
  }
  const leavesProject = task.project !== null && placement.project !== task.project
  const ended = leavesProject ? await tx.all(dependenciesOf, { realm: task.realm, task: task.id }) : []
  return { fields, place, ended }
}

/** The place beside a live task of the list that the task moves to. Refuses any other neighbour with 400. */
async function placeOf(work: TaskWork, task: TaskRow, target: TaskRow, { side, task: sent }: Beside) {
  const neighbour = await findReference(taskNoun, work, sent, side, task.workspace)
  const fault = neighbour.id === task.id ? 'is the task itself' : 'is not in the same list'
  if (neighbour.id !== task.id && listOf(neighbour) === listOf(target)) {
    return await placeBeside(work, task, neighbour, side)
  }
  const message = `${side} "${sent}" ${fault}. Name another task of the column that the task moves to.`
  throw refuse('invalid_request_body', { param: side, message })
}

/** Writes a planned change with its events; null when nothing differs. The caller writes `counts` at the end. */
export function writeChange(
  work: TaskWork,
  task: TaskRow,
  { fields, place, ended }: PlannedChange,
  counts: SubtaskCounts,
): CreatedTask | null {
  const { tx, now, emit } = work
  const changed = applyChange(tx, 'tasks', task, fields, now)
  if (changed === null) {
    if (place !== null) renumber(work, place)
    return null
  }
  changeTerms(tx, task, changed)
  changeAttachments(tx, task.realm, { object: 'task', id: task.id }, task.attachments, changed.attachments)
  counts.note(task, changed)
  const shown = showTask(changed)
  emit(changeEvent(task, changed, place !== null), shown, showTask(task))
  if (place !== null) renumber(work, place)
  removeDependencies(work, ended)
  return { row: changed, shown }
}

/** The fields that need neither a lookup nor another field. */
function ownFields(task: TaskRow, changes: TaskChanges, prefix: string): Partial<TaskRow> {
  const { title, description, priority, labels, custom_fields, attachments } = changes
  const fields: Partial<TaskRow> = changedPlainColumns(task, changes)
  if (title !== undefined) Object.assign(fields, { title, title_folded: foldText(title) })
  if (description !== undefined) {
    const text = description || null
    const folded = text === null ? null : foldText(text)
    Object.assign(fields, { description: text, description_folded: folded, mentions: storedMentions(text) })
  }
  if (priority !== undefined) Object.assign(fields, { priority, priority_rank: task_priorities.indexOf(priority) })
  if (labels !== undefined) fields.labels = JSON.stringify(labels)
  if (attachments !== undefined) fields.attachments = JSON.stringify(attachments)
  if (custom_fields !== undefined)
    fields.custom_fields = mergedText(task.custom_fields, custom_fields, `${prefix}custom_fields`)
  return fields
}

/** A task is `done` exactly when `completed_at` is set (contract/15#task-completion). */
function nextState(
  task: TaskRow,
  { status, completed_at }: TaskChanges,
  now: number,
  prefix: string,
): Partial<TaskRow> {
  if (typeof completed_at === 'number') {
    return { status: 'done', completed_at: storedTime(completed_at, task.completed_at) }
  }
  if (status === undefined) {
    if (completed_at === null) refuseContradiction(task.status, null, prefix)
    return {}
  }
  if (status !== 'done') return { status, completed_at: null }
  return task.status === 'done' ? {} : { status, completed_at: now }
}

function changeEvent(before: TaskRow, after: TaskRow, isPlaced: boolean): EventType {
  if (before.status !== after.status) {
    if (after.status === 'done') return taskCompleted
    if (before.status === 'done') return taskReopened
  }
  const isMoved = isPlaced || before.project !== after.project || before.column !== after.column
  return isMoved ? taskMoved : taskUpdated
}

function removeDependencies({ tx, now, emit }: TaskWork, rows: readonly DependencyRow[]): void {
  for (const row of rows) {
    markDeleted(tx, 'dependencies', row, now)
    emit(dependencyDeleted, showDependency(row))
  }
}

/** Deletes a task with its comments and its dependencies in both directions. Its time entries remain. */
export async function deleteTask(work: TaskWork, task: TaskRow): Promise<void> {
  const counts = new SubtaskCounts()
  await writeDelete(work, task, counts)
  await counts.write(work)
}

/** The same, but the caller writes `counts` at the end. */
export async function writeDelete(work: TaskWork, task: TaskRow, counts: SubtaskCounts): Promise<void> {
  const { tx, now, emit } = work
  requireActive(task)
  const bound = { realm: task.realm, task: task.id }
  const comments = await tx.all(commentsOf, bound)
  const dependencies = await tx.all(dependenciesOf, bound)
  markDeleted(tx, 'tasks', task, now)
  changeAttachments(tx, task.realm, { object: 'task', id: task.id }, task.attachments, '[]')
  emit(taskDeleted, showTask(task))
  for (const comment of comments) {
    markDeleted(tx, 'comments', comment, now)
    changeAttachments(tx, task.realm, { object: 'comment', id: comment.id }, comment.attachments, '[]')
    emit(commentDeleted, showComment(comment))
  }
  removeDependencies(work, dependencies)
  await detachChildren(work, task)
  counts.note(task, null)
}

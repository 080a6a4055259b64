/**
 * Changes and deletes tasks for PATCH, complete, move and automations, so that all follow the same rules.
 * Invariants: `done` ⇔ `completed_at`; a column is one of the task's project; dependencies stay within one project;
 * every check comes before the first write; without a difference nothing is written (contract/05#unchanged-writes).
 */

import { mergedText } from '../../../api/declare/custom-fields.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import { applyChange, markDeleted } from '../../../api/write/change.ts'
import type { DependencyRow, TaskRow } from '../../../db/schema.ts'
import { showComment } from '../../comments/comment.ts'
import { commentDeleted } from '../../comments/events.ts'
import { showDependency } from '../../dependencies/dependency.ts'
import { dependencyDeleted } from '../../dependencies/events.ts'
import { storedTime } from '../columns.ts'
import { taskCompleted, taskDeleted, taskMoved, taskReopened, taskUpdated } from '../events.ts'
import { foldText } from '../filter/sql.ts'
import { changedPlainColumns, showTask, type Task, type TaskChanges, task_priorities } from '../task.ts'
import { TaskReferences } from '../task-references.ts'
import { type CreatedTask, refuseContradiction, refuseLateStart, type TaskWork } from './create.ts'
import { changeTerms } from './insert.ts'
import { commentsOf, dependenciesOf } from './queries.ts'

/** Every event that `changeTask` may emit. */
export const taskChangeEvents = [taskUpdated, taskCompleted, taskReopened, taskMoved, dependencyDeleted] as const

/** The events of a change of project or column alone. */
export const taskMoveEvents = [taskMoved, dependencyDeleted] as const

/** Every event that `deleteTask` may emit. */
export const taskDeleteEvents = [taskDeleted, commentDeleted, dependencyDeleted] as const

/** Refuses a write on a task of an archived project (contract/15#archived-projects). */
export function requireActive(task: TaskRow): void {
  if (task.is_archived === 1) throw refuse('resource_conflict', { message: "The task's project is archived." })
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
async function change(work: TaskWork, task: TaskRow, changes: TaskChanges): Promise<CreatedTask | null> {
  const { tx, now, emit } = work
  requireActive(task)
  const fields = { ...ownFields(task, changes), ...nextState(task, changes, now) }
  refuseLateStart({ ...task, ...fields })
  const references = new TaskReferences(work, task.workspace)
  const placement = await references.resolvePlacement(changes, '', task)
  const { assignee } = changes
  if (assignee && assignee !== task.assignee) await references.requireAssignee(assignee, '')
  const leavesProject = task.project !== null && placement.project !== task.project
  const ended = leavesProject ? await tx.all(dependenciesOf, { realm: task.realm, task: task.id }) : []
  const changed = applyChange(tx, 'tasks', task, { ...fields, ...placement, assignee }, now)
  if (changed === null) return null
  changeTerms(tx, task, changed)
  const shown = showTask(changed)
  emit(changeEvent(task, changed), shown, showTask(task))
  removeDependencies(work, ended)
  return { row: changed, shown }
}

/** The fields that need neither a lookup nor another field. */
function ownFields(task: TaskRow, changes: TaskChanges): Partial<TaskRow> {
  const { title, description, priority, labels, custom_fields } = changes
  const fields: Partial<TaskRow> = changedPlainColumns(task, changes)
  if (title !== undefined) Object.assign(fields, { title, title_folded: foldText(title) })
  if (description !== undefined) {
    const text = description || null
    Object.assign(fields, { description: text, description_folded: text === null ? null : foldText(text) })
  }
  if (priority !== undefined) Object.assign(fields, { priority, priority_rank: task_priorities.indexOf(priority) })
  if (labels !== undefined) fields.labels = JSON.stringify(labels)
  if (custom_fields !== undefined) fields.custom_fields = mergedText(task.custom_fields, custom_fields, 'custom_fields')
  return fields
}

/** A task is `done` exactly when `completed_at` is set (contract/15#task-completion). */
function nextState(task: TaskRow, { status, completed_at }: TaskChanges, now: number): Partial<TaskRow> {
  refuseContradiction(status, completed_at)
  if (typeof completed_at === 'number') {
    return { status: 'done', completed_at: storedTime(completed_at, task.completed_at) }
  }
  if (status === undefined) {
    if (completed_at === null) refuseContradiction(task.status, null)
    return {}
  }
  if (status !== 'done') return { status, completed_at: null }
  return task.status === 'done' ? {} : { status, completed_at: now }
}

function changeEvent(before: TaskRow, after: TaskRow): EventType {
  if (before.status !== after.status) {
    if (after.status === 'done') return taskCompleted
    if (before.status === 'done') return taskReopened
  }
  return before.project !== after.project || before.column !== after.column ? taskMoved : taskUpdated
}

function removeDependencies({ tx, now, emit }: TaskWork, rows: readonly DependencyRow[]): void {
  for (const row of rows) {
    markDeleted(tx, 'dependencies', row, now)
    emit(dependencyDeleted, showDependency(row))
  }
}

/** Deletes a task with its comments and its dependencies in both directions. Its time entries remain. */
export async function deleteTask(work: TaskWork, task: TaskRow): Promise<void> {
  const { tx, now, emit } = work
  requireActive(task)
  const bound = { realm: task.realm, task: task.id }
  const comments = await tx.all(commentsOf, bound)
  const dependencies = await tx.all(dependenciesOf, bound)
  markDeleted(tx, 'tasks', task, now)
  emit(taskDeleted, showTask(task))
  for (const comment of comments) {
    markDeleted(tx, 'comments', comment, now)
    emit(commentDeleted, showComment(comment))
  }
  removeDependencies(work, dependencies)
}

/**
 * Changing and deleting a task: shared by PATCH, complete, move and automations, so that all obey the same rules.
 * Invariants: `done` ⇔ `completed_at`; a column is one of the task's project; dependencies stay within one project;
 * every check comes before the first write; a change of nothing writes nothing (contract/05#unchanged-writes).
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
import { TaskReferences } from '../queries-references.ts'
import { changedPlainColumns, showTask, type Task, type TaskChanges, task_priorities } from '../task.ts'
import { type MadeTask, refuseContradiction, type TaskWork } from './create.ts'
import { changeTerms } from './insert.ts'
import { commentsOf, dependenciesOf } from './queries.ts'

/** Every event that `changeTask` may emit. */
export const taskChangeEvents = [taskUpdated, taskCompleted, taskReopened, taskMoved, dependencyDeleted] as const

/** Those of them that a change of place alone emits. */
export const taskMoveEvents = [taskMoved, dependencyDeleted] as const

/** Every event that `deleteTask` may emit. */
export const taskDeleteEvents = [taskDeleted, commentDeleted, dependencyDeleted] as const

/** Refuses a write on a task of an archived project (contract/15#archived-projects). */
export function requireActive(task: TaskRow): void {
  if (task.is_archived === 1) throw refuse('resource_conflict', { message: "The task's project is archived." })
}

/**
 * Changes a task and returns its row as it then is: the same row when nothing differs. Emits one event, named by the
 * most specific thing that happened, and one for each dependency that does not outlive a change of project.
 */
export async function changeTask(work: TaskWork, task: TaskRow, changes: TaskChanges): Promise<TaskRow> {
  return (await change(work, task, changes))?.row ?? task
}

/** The same; returns the task as its event shows it: who answers with that object answers with the event's own text. */
export async function changeShownTask(work: TaskWork, task: TaskRow, changes: TaskChanges): Promise<Task> {
  return (await change(work, task, changes))?.shown ?? showTask(task)
}

/** `null` when nothing differs. */
async function change(work: TaskWork, task: TaskRow, changes: TaskChanges): Promise<MadeTask | null> {
  const { tx, now, emit } = work
  requireActive(task)
  const fields = { ...ownFields(task, changes), ...nextState(task, changes, now) }
  const references = new TaskReferences(work, task.workspace)
  const place = await references.place(changes, '', task)
  const { assignee } = changes
  if (assignee && assignee !== task.assignee) await references.assignee(assignee, '')
  const leaves = task.project !== null && place.project !== task.project
  const cut = leaves ? await tx.all(dependenciesOf, { realm: task.realm, task: task.id }) : []
  const changed = applyChange(tx, 'tasks', task, { ...fields, ...place, assignee }, now)
  if (changed === null) return null
  changeTerms(tx, task, changed)
  const shown = showTask(changed)
  emit(whatHappened(task, changed), shown, showTask(task))
  removeDependencies(work, cut)
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

function whatHappened(before: TaskRow, after: TaskRow): EventType {
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

/** Leaves a tombstone of a task, its comments and its dependencies, incoming ones too; its time entries stay. */
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

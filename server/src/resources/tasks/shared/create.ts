/** Creates tasks for create, batch, templates and automations, so that all follow the same rules. */
import { mergeCustomFields } from '../../../api/declare/custom-fields.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { LookAhead } from '../../../api/declare/operation.ts'
import { limits } from '../../../api/limits.ts'
import { findReference } from '../../../api/request/references.ts'
import type { TaskRow, WorkspaceRow } from '../../../db/schema.ts'
import { millis, seconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import { storedMentions } from '../../../text/mentions.ts'
import { requireFiles } from '../../files/shared/attachments.ts'
import { workspaceNoun } from '../../workspaces/workspace.ts'
import { taskCreated } from '../events.ts'
import { foldText } from '../filter/sql.ts'
import { type NewTask, plainColumns, showTask, type Task, task_priorities } from '../task.ts'
import { TaskReferences } from '../task-references.ts'
import { refuseContradiction } from './completion.ts'
import { insertTask } from './insert.ts'
import { behind, lastPosition } from './order.ts'
import { takeNumbers } from './queries.ts'
import { settle } from './settle.ts'
import { requireParent, SubtaskCounts } from './subtasks.ts'
import type { TaskWork } from './work.ts'

export type { TaskWork } from './work.ts'

/**
 * The creator of a new task, by default the caller's owner, and the template that the task is created from. `created` is
 * when another system created it, in milliseconds.
 */
export interface TaskOrigin {
  readonly created?: number
  readonly creator?: { readonly type: string; readonly id: string }
  readonly template?: string
  /** The status is a default of the template, which a column's status replaces. */
  readonly hasDefaultStatus?: boolean
}

/** Creates one task, emits `workflow.task.created` and returns its row. Refusals name the fields as in `fields`. */
export async function createTask(
  work: TaskWork,
  workspace: string,
  fields: NewTask,
  origin: TaskOrigin = {},
): Promise<TaskRow> {
  const [made] = await createTasks(work, workspace, [{ fields }], origin)
  return (made as CreatedTask).row
}

/** A row with its public object. An answer with the same object as the event reuses the event's stored text. */
export interface CreatedTask {
  readonly row: TaskRow
  readonly shown: Task
}

/**
 * Creates tasks of one workspace in the given order, all or none. Every check comes before the first write. Refusals name
 * a field with the draft's `prefix`, such as `data[3].`.
 */
export async function createTasks(
  work: TaskWork,
  workspaceId: string,
  drafts: readonly { readonly fields: NewTask; readonly prefix?: string; readonly origin?: TaskOrigin }[],
  origin: TaskOrigin = {},
): Promise<CreatedTask[]> {
  const { tx, now, emit } = work
  for (const { fields, prefix = '' } of drafts) {
    refuseLateStart(plainColumns(fields), prefix)
    refuseContradiction(fields.status, fields.completed_at, prefix)
  }
  const sought = findReference(workspaceNoun, work, workspaceId, 'workspace')
  const references = new TaskReferences(work, workspaceId)
  for (const { fields, prefix = '' } of drafts) references.prefetch(fields, prefix)
  const workspace = await sought
  const places: NewPlace[] = []
  const ends = new Map<string, number | undefined>()
  for (const { fields, prefix = '', origin: own = origin } of drafts) {
    const settled = await settle(work, references, fields, prefix, undefined, own.hasDefaultStatus)
    const parent = fields.parent ? await requireParent(work, workspace.id, fields.parent, prefix) : null
    const { project, column } = settled
    if (column !== null && !ends.has(column)) ends.set(column, await lastPosition(tx, workspace.realm, column))
    places.push({ project, column, parent: parent?.id ?? null, ...firstState(settled.status, fields, now) })
    await references.fields.requireFitting(fields.custom_fields, prefix)
    if (fields.assignee) await references.requireAssignee(fields.assignee, prefix)
    await requireFiles(work, workspace.id, fields.attachments, `${prefix}attachments`)
  }
  const first = takeNumbers(tx, workspace, drafts.length)
  const counts = new SubtaskCounts()
  const made = drafts.map(({ fields, origin: own = origin }, i) => {
    const place = places[i] as NewPlace
    // Positions grow with the numbers, so without a column no query is needed to be last.
    const position = behind(ends.get(place.column ?? ''), (first + i) * limits.position_step)
    if (place.column !== null) ends.set(place.column, position)
    const row = newTaskRow(work, workspace, first + i, fields, { ...place, position }, own)
    insertTask(tx, row)
    counts.note(null, row)
    const shown = showTask(row)
    emit(taskCreated, shown)
    return { row, shown }
  })
  await counts.write(work)
  return made
}

/** Requests what `createTasks` looks up first. Its results and errors are ignored. */
export function lookUpReferences(from: LookAhead, workspace: string, fields: NewTask): void {
  findReference(workspaceNoun, from, workspace, 'workspace').catch(() => {})
  new TaskReferences(from, workspace).prefetch(fields, '')
}

/** What a new task gets from the rules of columns, completion and parents. */
type NewPlace = Pick<TaskRow, 'project' | 'column' | 'parent' | 'status' | 'completed_at'>

/** `done` and a completion time imply each other (contract/15#task-completion). */
function firstState(
  status: NewTask['status'],
  { completed_at }: NewTask,
  now: number,
): Pick<TaskRow, 'status' | 'completed_at'> {
  if (typeof completed_at === 'number') return { status: 'done', completed_at: millis(completed_at) }
  return { status: status ?? 'todo', completed_at: status === 'done' ? now : null }
}

/** Refuses a start after the due date, in whole seconds; both are in milliseconds (contract/15#task-start). */
export function refuseLateStart(
  { start_at, due_at }: Partial<Pick<TaskRow, 'start_at' | 'due_at'>>,
  prefix = '',
): void {
  if (start_at == null || due_at == null || seconds(start_at) <= seconds(due_at)) return
  const param = `${prefix}start_at`
  const message = `${param} ${seconds(start_at)} is after due_at ${seconds(due_at)}. Send a start that is not later.`
  throw refuse('invalid_request_body', { param, message })
}

function newTaskRow(
  { caller, now }: TaskWork,
  workspace: WorkspaceRow,
  number: number,
  fields: NewTask,
  place: NewPlace & Pick<TaskRow, 'position'>,
  origin: TaskOrigin,
): TaskRow {
  const creator = origin.creator ?? caller.owner
  const priority = fields.priority ?? 'none'
  const description = fields.description || null
  return {
    realm: caller.realm,
    id: newId('tsk', now),
    created: origin.created ?? now,
    updated: now,
    revision: 1,
    deleted_at: null,
    workspace: workspace.id,
    number,
    key: `${workspace.key}-${number}`,
    project: place.project,
    column: place.column,
    title: fields.title,
    title_folded: foldText(fields.title),
    description,
    description_folded: description === null ? null : foldText(description),
    mentions: storedMentions(description),
    status: place.status,
    priority,
    priority_rank: task_priorities.indexOf(priority),
    assignee: fields.assignee ?? null,
    creator_type: creator.type,
    creator_id: creator.id,
    completed_at: place.completed_at,
    is_archived: 0,
    labels: JSON.stringify(fields.labels ?? []),
    custom_fields: JSON.stringify(mergeCustomFields({}, fields.custom_fields ?? {})),
    attachments: JSON.stringify(fields.attachments ?? []),
    parent: place.parent,
    subtask_count: 0,
    subtask_done_count: 0,
    position: place.position,
    template: origin.template ?? null,
    // Last, because the columns after a spread are added to the object one by one.
    ...plainColumns(fields),
  }
}

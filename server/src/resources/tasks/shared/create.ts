/** Making tasks: shared by create, batch, templates and automations, so that all obey the same rules. */
import type { Caller } from '../../../api/declare/caller.ts'
import { mergeCustomFields } from '../../../api/declare/custom-fields.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import { limits } from '../../../api/limits.ts'
import { findReference } from '../../../api/request/references.ts'
import type { TaskRow, WorkspaceRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { millis } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import { workspaceNoun } from '../../workspaces/workspace.ts'
import { taskCreated } from '../events.ts'
import { foldText } from '../filter/sql.ts'
import { type Place, TaskReferences } from '../queries-references.ts'
import { type NewTask, plainColumns, showTask, type Task, task_priorities } from '../task.ts'
import { insertTask } from './insert.ts'
import { takeNumbers } from './queries.ts'

/** What the shared functions about tasks need of a handler. `now` is in milliseconds. */
export interface TaskWork {
  readonly tx: Tx
  readonly caller: Caller
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

/** Whose a new task is, where that is not the caller's owner, and the template that it is made from. */
export interface TaskOrigin {
  readonly creator?: { readonly type: string; readonly id: string }
  readonly template?: string
}

/** Makes one task, emits `workflow.task.created` and returns its row. Refusals name the fields as they stand in `fields`. */
export async function createTask(
  work: TaskWork,
  workspace: string,
  fields: NewTask,
  origin: TaskOrigin = {},
): Promise<TaskRow> {
  const [made] = await createTasks(work, workspace, [{ fields, at: '' }], origin)
  return (made as MadeTask).row
}

/** A task that was made, and as its event shows it: who answers with that object answers with the event's own text. */
export interface MadeTask {
  readonly row: TaskRow
  readonly shown: Task
}

/**
 * Makes tasks of one workspace in the order given, all or none. Every check comes before the first write. `at` is what
 * stands before a field's name in a refusal: `data[3].`.
 */
export async function createTasks(
  work: TaskWork,
  workspaceId: string,
  drafts: readonly { readonly fields: NewTask; readonly at: string }[],
  origin: TaskOrigin = {},
): Promise<MadeTask[]> {
  const { tx, now, emit } = work
  const states = drafts.map(({ fields, at }) => firstState(fields, at, now))
  const sought = findReference(workspaceNoun, work, workspaceId, 'workspace')
  const references = new TaskReferences(work, workspaceId)
  for (const { fields, at } of drafts) references.begin(fields, at)
  const workspace = await sought
  const places: Place[] = []
  for (const { fields, at } of drafts) {
    places.push(await references.place(fields, at))
    if (fields.assignee) await references.assignee(fields.assignee, at)
  }
  const first = takeNumbers(tx, workspace, drafts.length)
  return drafts.map(({ fields }, i) => {
    const row = newTaskRow(work, workspace, first + i, fields, places[i] as Place, states[i] as State, origin)
    insertTask(tx, row)
    const shown = showTask(row)
    emit(taskCreated, shown)
    return { row, shown }
  })
}

interface State {
  readonly status: string
  readonly completed_at: number | null
}

/** `done` and a completion time imply each other (contract/15#task-completion). */
function firstState({ status, completed_at }: NewTask, at: string, now: number): State {
  refuseContradiction(status, completed_at, at)
  if (typeof completed_at === 'number') return { status: 'done', completed_at: millis(completed_at) }
  return { status: status ?? 'todo', completed_at: status === 'done' ? now : null }
}

/** Refuses a status that contradicts the completion time (contract/15#task-completion). */
export function refuseContradiction(status: string | undefined, completedAt: number | null | undefined, at = ''): void {
  if (status === undefined || completedAt === undefined || (status === 'done') === (completedAt !== null)) return
  const param = `${at}completed_at`
  throw refuse('invalid_request_body', {
    param,
    message: `${param} contradicts the status: a task has a completion time exactly while it is done.`,
  })
}

function newTaskRow(
  { caller, now }: TaskWork,
  workspace: WorkspaceRow,
  number: number,
  fields: NewTask,
  place: Place,
  state: State,
  origin: TaskOrigin,
): TaskRow {
  const creator = origin.creator ?? caller.owner
  const priority = fields.priority ?? 'none'
  const description = fields.description || null
  return {
    realm: caller.realm,
    id: newId('tsk', now),
    created: now,
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
    status: state.status,
    priority,
    priority_rank: task_priorities.indexOf(priority),
    assignee: fields.assignee ?? null,
    creator_type: creator.type,
    creator_id: creator.id,
    ...plainColumns(fields),
    completed_at: state.completed_at,
    is_archived: 0,
    labels: JSON.stringify(fields.labels ?? []),
    custom_fields: JSON.stringify(mergeCustomFields({}, fields.custom_fields ?? {})),
    // Last in its column without asking: later numbers have later positions.
    position: number * limits.position_step,
    template: origin.template ?? null,
  }
}

/** The writes of tasks and timers. They are shown at once, rolled back if they fail, and most can be undone. */
import { ApiError, type Atrium, type Task, type TasksUpdateParams, type TimeEntry } from '@atrium/sdk'
import { fieldNames, type Status } from '../../app/tasks/values.ts'
import { type Before, hasErrorCode, isLost, patch, useWrite, type Writer } from '../../data/index.ts'
import { inWords } from '../../design/index.ts'
import { inSentence, t } from '../../language/index.ts'

export type TaskFields = Pick<
  TasksUpdateParams,
  | 'title'
  | 'description'
  | 'status'
  | 'priority'
  | 'assignee'
  | 'start_at'
  | 'due_at'
  | 'labels'
  | 'custom_fields'
  | 'attachments'
>

export interface TaskChange {
  readonly id: string
  readonly fields: TaskFields
  /** The write is refused if the task has another revision. */
  readonly ifMatch?: number
  /** The description that `ifMatch` had: the write is refused only if this has changed. */
  readonly wasDescription?: string
}

/** Updates fields of a task. */
export function useTaskChange({ toastErrors = true } = {}): Writer<TaskChange, Task> {
  return useWrite({
    write: updateTask,
    changes: ({ id, fields }, before) => [patch('task', id, shownFields(fields, before<Task>('task', id)))],
    done: ({ key }, { fields }) => `${key} ${describeChange(fields)}`,
    undo: (_, { id, fields }, before) => undoOf(id, fields, before),
    toastErrors,
  })
}

async function updateTask(atrium: Atrium, { id, fields, ifMatch, wasDescription }: TaskChange): Promise<Task> {
  if (ifMatch === undefined) return await atrium.tasks.update(id, fields)
  try {
    return await atrium.tasks.update(id, fields, { ifMatch })
  } catch (error) {
    if (wasDescription === undefined || !hasErrorCode(error, 'resource_conflict')) throw error
    const { description, revision } = await atrium.tasks.retrieve(id)
    if ((description ?? '') !== wasDescription) throw error
    return await atrium.tasks.update(id, fields, { ifMatch: revision })
  }
}

/** A write sends only the changed custom fields, the cache holds all of them. */
function shownFields(fields: TaskFields, was: Task | undefined): object {
  const { custom_fields, ...rest } = fields
  if (custom_fields === undefined) return rest
  const all = Object.entries({ ...was?.custom_fields, ...custom_fields }).filter(([, value]) => value !== null)
  return { ...rest, custom_fields: Object.fromEntries(all) }
}

function describeChange(fields: TaskFields): string {
  if (fields.status !== undefined) return t('changed to {status}', { status: inWords(fields.status) })
  return t('updated: {fieldNames}', { fieldNames: fieldNames(Object.keys(fields)) })
}

function undoOf(id: string, fields: TaskFields, before: Before): ((atrium: Atrium) => PromiseLike<Task>) | null {
  const was = before<Task>('task', id)
  if (was === undefined) return null
  const names = Object.keys(fields).filter((name) => name !== 'custom_fields')
  const former = Object.fromEntries(names.map((name) => [name, was[name as keyof Task]]))
  const custom = Object.keys(fields.custom_fields ?? {}).map((key) => [key, was.custom_fields[key] ?? null])
  return (atrium) =>
    atrium.tasks.update(id, { ...former, ...(custom.length > 0 ? { custom_fields: Object.fromEntries(custom) } : {}) })
}

/** The task that a moved one stands beside. */
export type Beside = { readonly before: string } | { readonly after: string }

export interface TaskMove {
  readonly id: string
  readonly project: string | null
  readonly column: string | null
  /** The name of the target. */
  readonly to: string
  /** Without it the task goes to the end of a column that it enters. */
  readonly beside?: Beside | undefined
  /** The neighbour at the task's present place, for Undo. */
  readonly back?: Beside | undefined
  /** Shown until the server answers. */
  readonly position?: number | undefined
  /** The status of the target column. */
  readonly status?: string | null | undefined
  /** The task before the move. */
  readonly was?: Task | undefined
}

/** Moves a task to another column or project, or within its column. It takes the status of its new column at once. */
export function useTaskMove(): Writer<TaskMove, Task> {
  return useWrite({
    write: (atrium, { id, project, column, beside }: TaskMove) => atrium.tasks.move(id, { project, column, ...beside }),
    changes: (move) => [patch('task', move.id, movedFields(move))],
    invalidates: ['dependency'],
    done: (task, move) => describeMove(task, move),
    undo: (moved, { id, back }, before) => {
      const was = before<Task>('task', id)
      return was ? (atrium) => moveBack(atrium, was, moved, back) : null
    },
  })
}

function movedFields({ project, column, position, status, was }: TaskMove): object {
  const fields = { project, column, ...(position === undefined ? {} : { position }) }
  if (!status || was === undefined || status === was.status) return fields
  return { ...fields, status, completed_at: status === 'done' ? secondsNow() : null }
}

function describeMove(task: Task, { to, was }: TaskMove): string {
  const text =
    was?.column === task.column
      ? t('{key} moved within {to}', { key: task.key, to })
      : t('{key} moved to {to}', { key: task.key, to })
  if (was === undefined || was.status === task.status) return text
  if (task.status === 'done') return t('{text}, completed', { text })
  if (was.status === 'done') return t('{text}, reopened', { text })
  const status = inWords(task.status)
  // A column that is called like its status has said it.
  return to.toLowerCase() === status.toLowerCase()
    ? text
    : t('{text}, now {status}', { text, status: inSentence(status) })
}

/** Puts a task back where it was, with the status it had. If its neighbour has left, it stands at the end of its column. */
async function moveBack(atrium: Atrium, was: Task, moved: Task, back: Beside | undefined): Promise<Task> {
  const place = { project: was.project, column: was.column }
  const isSameList = was.project === moved.project && was.column === moved.column
  if (back === undefined && isSameList) return moved
  let task: Task
  try {
    task = await atrium.tasks.move(was.id, { ...place, ...back })
  } catch (error) {
    if (back === undefined || !(error instanceof ApiError) || error.status !== 400) throw error
    task = await atrium.tasks.move(was.id, place)
  }
  if (was.status === 'done' && task.completed_at !== was.completed_at) {
    return await atrium.tasks.update(was.id, { completed_at: was.completed_at })
  }
  // The server's own value.
  return task.status === was.status ? task : await atrium.tasks.update(was.id, { status: was.status as Status })
}

export interface TimerStart {
  readonly task: Task
  /** The running timer of the person, which is stopped first: a person has at most one. */
  readonly running: TimeEntry | undefined
}

export function useTimerStart(): Writer<TimerStart, TimeEntry> {
  return useWrite({
    write: async (atrium, { task, running }: TimerStart) => {
      if (running !== undefined) await atrium.timeEntries.stop(running.id)
      return await atrium.timeEntries.start({ workspace: task.workspace, task: task.id })
    },
    // The server starts it when the request arrives, so a timer started later would count too little.
    waits: false,
    invalidates: ['time_entry'],
    done: (_, { task }) => t('Timer started on {key}', { key: task.key }),
    undo: (entry) => (atrium) => atrium.timeEntries.delete(entry.id),
  })
}

export function useTimerStop(): Writer<TimeEntry, TimeEntry> {
  return useWrite({
    // Without a connection the time of the click is sent, not that of the arrival.
    write: (atrium, { id }: TimeEntry) =>
      isLost() ? atrium.timeEntries.update(id, { ended_at: secondsNow() }) : atrium.timeEntries.stop(id),
    changes: ({ id }) => [patch('time_entry', id, { status: 'stopped', ended_at: secondsNow() })],
    done: () => t('Timer stopped'),
  })
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}

/** What is done to tasks, wherever they are shown: at once, taken back when it fails, and with Undo. */
import type { Atrium, Task, TasksUpdateParams, TimeEntry } from '@atrium/sdk'
import { type Before, patch, useWrite, type Writer } from '../../data/index.ts'
import { statusName } from './words.ts'

export type TaskFields = Pick<
  TasksUpdateParams,
  'title' | 'description' | 'status' | 'priority' | 'assignee' | 'due_at' | 'labels' | 'custom_fields'
>

export interface TaskChange {
  readonly id: string
  readonly fields: TaskFields
  /** What is said when it is done. */
  readonly said?: string
  /** Refused where somebody else has changed the task since. */
  readonly ifMatch?: number
}

/** Other values in fields of a task. */
export function useTaskChange({ toastErrors = true } = {}): Writer<TaskChange, Task> {
  return useWrite({
    write: (atrium, { id, fields, ifMatch }: TaskChange) =>
      atrium.tasks.update(id, fields, ifMatch === undefined ? {} : { ifMatch }),
    changes: ({ id, fields, ifMatch }, before) =>
      ifMatch === undefined ? [patch('task', id, shownFields(fields, before<Task>('task', id)))] : [],
    done: ({ key }, { said, fields }) => said ?? `${key}: ${wordsOf(fields)}`,
    undo: (_, { id, fields }, before) => undoOf(id, fields, before),
    toastErrors,
  })
}

/** Custom fields are sent one by one and shown all together. */
function shownFields(fields: TaskFields, was: Task | undefined): object {
  const { custom_fields, ...rest } = fields
  if (custom_fields === undefined) return rest
  const all = Object.entries({ ...was?.custom_fields, ...custom_fields }).filter(([, value]) => value !== null)
  return { ...rest, custom_fields: Object.fromEntries(all) }
}

function wordsOf(fields: TaskFields): string {
  if (fields.status !== undefined) return statusName(fields.status).toLowerCase()
  const names = Object.keys(fields).map((name) => name.replace('_at', '').replaceAll('_', ' '))
  return `${names.join(', ')} changed`
}

function undoOf(id: string, fields: TaskFields, before: Before): ((atrium: Atrium) => PromiseLike<Task>) | null {
  const was = before<Task>('task', id)
  if (was === undefined) return null
  const names = Object.keys(fields).filter((name) => name !== 'custom_fields')
  const back = Object.fromEntries(names.map((name) => [name, was[name as keyof Task]]))
  const custom = Object.keys(fields.custom_fields ?? {}).map((key) => [key, was.custom_fields[key] ?? null])
  return (atrium) =>
    atrium.tasks.update(id, { ...back, ...(custom.length > 0 ? { custom_fields: Object.fromEntries(custom) } : {}) })
}

export interface TaskMove {
  readonly id: string
  readonly project: string | null
  readonly column: string | null
  /** Where to, in words. */
  readonly to: string
}

/** To another column or project. Within a column the order is that of the tasks' numbers, which the server keeps. */
export function useTaskMove(): Writer<TaskMove, Task> {
  return useWrite({
    write: (atrium, { id, project, column }: TaskMove) => atrium.tasks.move(id, { project, column }),
    changes: ({ id, project, column }) => [patch('task', id, { project, column })],
    touches: ['dependency'],
    done: ({ key }, { to }) => `${key} moved to ${to}`,
    undo: (_, { id }, before) => {
      const was = before<Task>('task', id)
      return was ? (atrium) => atrium.tasks.move(id, { project: was.project, column: was.column }) : null
    },
  })
}

export interface TimerStart {
  readonly task: Task
  /** The timer that runs, which is stopped first: a person has one. */
  readonly running: TimeEntry | undefined
}

export function useTimerStart(): Writer<TimerStart, TimeEntry> {
  return useWrite({
    write: async (atrium, { task, running }: TimerStart) => {
      if (running !== undefined) await atrium.timeEntries.stop(running.id)
      return await atrium.timeEntries.start({ workspace: task.workspace, task: task.id })
    },
    touches: ['time_entry'],
    done: (_, { task }) => `Timer started on ${task.key}`,
    undo: (entry) => (atrium) => atrium.timeEntries.delete(entry.id),
  })
}

export function useTimerStop(): Writer<TimeEntry, TimeEntry> {
  return useWrite({
    write: (atrium, { id }: TimeEntry) => atrium.timeEntries.stop(id),
    changes: ({ id }) => [patch('time_entry', id, { status: 'stopped', ended_at: Math.floor(Date.now() / 1000) })],
    done: () => 'Timer stopped',
  })
}

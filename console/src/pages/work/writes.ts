/** The writes of tasks and timers. They are shown at once, rolled back if they fail, and most can be undone. */
import type { Atrium, Task, TasksUpdateParams, TimeEntry } from '@atrium/sdk'
import { type Before, patch, useWrite, type Writer } from '../../data/index.ts'
import { inWords } from '../../design/index.ts'
import { fieldNames } from './task-values.ts'

export type TaskFields = Pick<
  TasksUpdateParams,
  'title' | 'description' | 'status' | 'priority' | 'assignee' | 'due_at' | 'labels' | 'custom_fields'
>

export interface TaskChange {
  readonly id: string
  readonly fields: TaskFields
  /** The write is refused if the task has another revision. */
  readonly ifMatch?: number
}

/** Updates fields of a task. */
export function useTaskChange({ toastErrors = true } = {}): Writer<TaskChange, Task> {
  return useWrite({
    write: (atrium, { id, fields, ifMatch }: TaskChange) =>
      atrium.tasks.update(id, fields, ifMatch === undefined ? {} : { ifMatch }),
    changes: ({ id, fields, ifMatch }, before) =>
      ifMatch === undefined ? [patch('task', id, shownFields(fields, before<Task>('task', id)))] : [],
    done: ({ key }, { fields }) => `${key} ${describeChange(fields)}`,
    undo: (_, { id, fields }, before) => undoOf(id, fields, before),
    toastErrors,
  })
}

/** A write sends only the changed custom fields, the cache holds all of them. */
function shownFields(fields: TaskFields, was: Task | undefined): object {
  const { custom_fields, ...rest } = fields
  if (custom_fields === undefined) return rest
  const all = Object.entries({ ...was?.custom_fields, ...custom_fields }).filter(([, value]) => value !== null)
  return { ...rest, custom_fields: Object.fromEntries(all) }
}

function describeChange(fields: TaskFields): string {
  if (fields.status !== undefined) return `changed to ${inWords(fields.status)}`
  return `updated: ${fieldNames(Object.keys(fields))}`
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

export interface TaskMove {
  readonly id: string
  readonly project: string | null
  readonly column: string | null
  /** The name of the target. */
  readonly to: string
}

/** Moves a task to another column or project. Its position within a column is the server's and does not change. */
export function useTaskMove(): Writer<TaskMove, Task> {
  return useWrite({
    write: (atrium, { id, project, column }: TaskMove) => atrium.tasks.move(id, { project, column }),
    changes: ({ id, project, column }) => [patch('task', id, { project, column })],
    invalidates: ['dependency'],
    done: ({ key }, { to }) => `${key} moved to ${to}`,
    undo: (_, { id }, before) => {
      const was = before<Task>('task', id)
      return was ? (atrium) => atrium.tasks.move(id, { project: was.project, column: was.column }) : null
    },
  })
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
    invalidates: ['time_entry'],
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

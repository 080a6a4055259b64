/** The task: its public shape, its states, how it is found by id or by key (decisions §14, §15). */
import Type, { type Static } from 'typebox'
import { findById, noun } from '../../api/noun.ts'
import {
  Actor,
  CustomFields,
  head,
  Id,
  Labels,
  Moment,
  Nullable,
  OneOf,
  Position,
  Revision,
  Seconds,
  Text,
  Title,
} from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { TaskRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const task_statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const
/** In order of rank, lowest first. */
export const task_priorities = ['none', 'low', 'medium', 'high', 'urgent'] as const

export const TaskStatus = OneOf(...task_statuses)
export const TaskPriority = OneOf(...task_priorities)

export const Task = Type.Object({
  ...head('task'),
  workspace: Id,
  number: Type.Integer({ minimum: 1 }),
  key: Type.String(),
  project: Nullable(Id),
  column: Nullable(Id),
  title: Title,
  description: Nullable(Text),
  status: TaskStatus,
  priority: TaskPriority,
  assignee: Nullable(Id),
  creator: Actor,
  due_at: Nullable(Seconds),
  completed_at: Nullable(Seconds),
  is_archived: Type.Boolean(),
  labels: Labels,
  custom_fields: CustomFields,
  position: Position,
  template: Nullable(Id),
  revision: Revision,
})

export type Task = Static<typeof Task>

/** What a request may set besides the title, times in Unix seconds: of create, PATCH, batch and templates. */
export const taskFields = {
  project: Type.Optional(Nullable(Id)),
  column: Type.Optional(Nullable(Id)),
  description: Type.Optional(Nullable(Text)),
  status: Type.Optional(TaskStatus),
  priority: Type.Optional(TaskPriority),
  assignee: Type.Optional(Nullable(Id)),
  due_at: Type.Optional(Nullable(Moment)),
  completed_at: Type.Optional(Nullable(Moment)),
  labels: Type.Optional(Labels),
  custom_fields: Type.Optional(CustomFields),
}

const NewTaskBody = Type.Object({ title: Title, ...taskFields })

/** A task as a request describes it. */
export type NewTask = Static<typeof NewTaskBody>
/** What a request changes of a task; what is left out stays. */
export type TaskChanges = Partial<NewTask>

/** What is shown of a live task. The folded texts are for searching only, and as long as the texts themselves. */
export type ShownTaskRow = Omit<TaskRow, 'realm' | 'deleted_at' | 'title_folded' | 'description_folded'>

export function showTask(row: ShownTaskRow): Task {
  return {
    id: row.id,
    object: 'task',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    number: row.number,
    key: row.key,
    project: row.project,
    column: row.column,
    title: row.title,
    description: row.description,
    status: row.status as Task['status'],
    priority: row.priority as Task['priority'],
    assignee: row.assignee,
    creator: { type: row.creator_type, id: row.creator_id },
    due_at: row.due_at === null ? null : seconds(row.due_at),
    completed_at: row.completed_at === null ? null : seconds(row.completed_at),
    is_archived: row.is_archived === 1,
    labels: JSON.parse(row.labels) as string[],
    custom_fields: JSON.parse(row.custom_fields) as Task['custom_fields'],
    position: row.position,
    template: row.template,
    revision: row.revision,
  }
}

const byId = findById('tasks')

const byKey = query((db, p) =>
  db.selectFrom('tasks').selectAll().where('realm', '=', p('realm')).where('key', '=', p('key')),
)

const key_form = /^[A-Z]{2,6}-[1-9]\d{0,15}$/

/** Whether a reference has the form of a task's key; no id has. */
export function isTaskKey(reference: string): boolean {
  return key_form.test(reference)
}

/** Found by its id or, wherever a task's id is taken, by its key (`KEP-42`). */
export const taskNoun = noun({
  object: 'task',
  prefix: 'tsk',
  table: 'tasks',
  schema: Task,
  readScope: 'tasks:read',
  find: (reader, caller, reference) =>
    isTaskKey(reference)
      ? reader.first(byKey, { realm: caller.realm, key: reference })
      : reader.first(byId, { realm: caller.realm, id: reference }),
  show: showTask,
})

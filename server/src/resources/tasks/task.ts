/** The task: its public shape, its statuses, and how it is found by id or key (contract/14#task). */
import Type, { type Static, type TOptional, type TSchema } from 'typebox'
import { findById, noun } from '../../api/declare/noun.ts'
import {
  Actor,
  CustomFields,
  described,
  head,
  Id,
  Labels,
  Mentions,
  Moment,
  Nullable,
  OneOf,
  Position,
  Revision,
  Seconds,
  Text,
  Title,
} from '../../api/declare/shapes.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { TaskRow } from '../../db/schema.ts'
import { Attachments } from '../files/shared/attachments.ts'
import { type ColumnKind, objectMaker, storedValue } from './columns.ts'
import { subtasksSeenBy } from './seen-subtasks.ts'

export const task_statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled'] as const
/** In order of rank, lowest first. */
export const task_priorities = ['none', 'low', 'medium', 'high', 'urgent'] as const

export const TaskStatus = OneOf(...task_statuses)
export const TaskPriority = OneOf(...task_priorities)

interface TaskField {
  /** Its schema in the API. */
  readonly shape: TSchema
  /** How its column is stored and shown. */
  readonly kind: ColumnKind
  /** Its schema in a request; absent if requests cannot set it. */
  readonly sent?: TSchema
  /** Create and update store the value by its kind, because it depends on no other field and no other row. Must be nullable. */
  readonly plain?: true
}

const { id, created, updated, object } = head('task')

const project = described(Nullable(Id), 'Project of the task; null for none.')
const column = described(Nullable(Id), 'Column of the project that the task is in; null for none.')
const title = described(Title, 'What is to be done, in one line.')
const description = described(Nullable(Text), 'Details of the task; null if unset.')
const status = described(TaskStatus, 'State of the task; `todo` by default. Any state may follow any other.')
const priority = described(TaskPriority, 'Urgency of the task; `none` by default.')
const assignee = described(Nullable(Id), 'User id of the person responsible; null if unassigned.')
const start_at = 'When work on the task starts, in Unix seconds, not after `due_at`; null without a start.'
const parent = described(Nullable(Id), 'Task of the workspace that this one is a part of; null for none.')
const due_at = 'When the task is due, in Unix seconds; null without a due date.'
const completed_at = 'When the task was completed, in Unix seconds; set exactly if `status` is `done`.'
const labels = described(Labels, 'Labels of the task, each once.')
const custom_fields = described(
  CustomFields,
  'Your own fields: names of 1 to 40 characters (`a-z`, `0-9`, `_`) with plain values. A sent `null` removes a key.',
)

/**
 * The fields in the order of the answer. Task, taskFields, showTask, the texts of lists (task-text.ts), the columns that
 * lists read, and the stored values of plain fields are derived from this table.
 */
export const fields = {
  id: { shape: id, kind: 'word' },
  object: { shape: object, kind: 'task' },
  created: { shape: created, kind: 'time' },
  updated: { shape: updated, kind: 'time' },
  workspace: { shape: described(Id, 'Workspace of the task.'), kind: 'word' },
  number: {
    shape: described(Type.Integer({ minimum: 1 }), 'Number of the task within its workspace; never changes.'),
    kind: 'integer',
  },
  key: {
    shape: described(Type.String(), 'Key of the task, such as `KEP-42`; accepted wherever its id is. Never changes.'),
    kind: 'word',
  },
  project: { shape: project, kind: 'optional_word', sent: project },
  column: { shape: column, kind: 'optional_word', sent: column },
  title: { shape: title, kind: 'text' },
  description: { shape: description, kind: 'text', sent: description },
  mentions: { shape: described(Mentions, 'Ids of the users and teams that `description` mentions.'), kind: 'json' },
  status: { shape: status, kind: 'word', sent: status },
  priority: { shape: priority, kind: 'word', sent: priority },
  assignee: { shape: assignee, kind: 'optional_word', sent: assignee },
  creator: { shape: described(Actor, 'Who created the task.'), kind: 'actor' },
  start_at: {
    shape: described(Nullable(Seconds), start_at),
    kind: 'optional_time',
    sent: described(Nullable(Moment), start_at),
    plain: true,
  },
  due_at: {
    shape: described(Nullable(Seconds), due_at),
    kind: 'optional_time',
    sent: described(Nullable(Moment), due_at),
    plain: true,
  },
  completed_at: {
    shape: described(Nullable(Seconds), completed_at),
    kind: 'optional_time',
    sent: described(Nullable(Moment), completed_at),
  },
  is_archived: { shape: described(Type.Boolean(), 'Whether the project of the task is archived.'), kind: 'flag' },
  labels: { shape: labels, kind: 'json', sent: labels },
  custom_fields: { shape: custom_fields, kind: 'json', sent: custom_fields },
  attachments: { shape: Attachments, kind: 'json', sent: Attachments },
  parent: { shape: parent, kind: 'optional_word', sent: parent },
  subtask_count: {
    shape: described(Type.Integer({ minimum: 0 }), 'Number of tasks whose `parent` is this task.'),
    kind: 'integer',
  },
  subtask_done_count: {
    shape: described(Type.Integer({ minimum: 0 }), 'How many of them are `done`.'),
    kind: 'integer',
  },
  position: { shape: described(Position, 'Sort key within the column, ascending.'), kind: 'real' },
  template: {
    shape: described(Nullable(Id), 'Template that the task was created from; null for none.'),
    kind: 'optional_word',
  },
  revision: { shape: Revision, kind: 'integer' },
} as const satisfies Record<string, TaskField>

type Fields = typeof fields
type Shapes = { -readonly [F in keyof Fields]: Fields[F]['shape'] }
type Sent = {
  -readonly [F in keyof Fields as Fields[F] extends { sent: TSchema } ? F : never]: Fields[F] extends {
    sent: infer S extends TSchema
  }
    ? TOptional<S>
    : never
}
type PlainField = { [F in keyof Fields]: Fields[F] extends { plain: true } ? F : never }[keyof Fields]

const entries: readonly (readonly [string, TaskField])[] = Object.entries(fields)

export const Task = Type.Object(Object.fromEntries(entries.map(([name, { shape }]) => [name, shape])) as Shapes)
export type Task = Static<typeof Task>

/** The fields besides the title that create, PATCH, batch and templates accept; times in Unix seconds. */
export const taskFields = Object.fromEntries(
  entries.flatMap(([name, { sent }]) => (sent === undefined ? [] : [[name, Type.Optional(sent)]])),
) as Sent

const NewTaskBody = Type.Object({ title: Title, ...taskFields })

/** A task as a request describes it. */
export type NewTask = Static<typeof NewTaskBody>
/** The fields that a request changes; missing ones keep their value. */
export type TaskChanges = Partial<NewTask>

/** The columns that the public task is built from. */
export type ShownTaskRow = Omit<TaskRow, 'realm' | 'deleted_at' | 'title_folded' | 'description_folded'>

export const showTask: (row: ShownTaskRow) => Task = objectMaker(fields)

const plain_fields = entries.filter(([, { plain }]) => plain === true).map(([name]) => name as PlainField)

type PlainColumns = { -readonly [F in PlainField]: TaskRow[F] }

/** The plain columns of a new task; null for fields that were not sent. */
export function plainColumns(sent: NewTask): PlainColumns {
  const columns: Partial<PlainColumns> = {}
  for (const name of plain_fields) setPlain(columns, name, sent[name] ?? null, null)
  // The loop has set each plain field.
  return columns as PlainColumns
}

/** The plain columns that a request changes. */
export function changedPlainColumns(task: TaskRow, changes: TaskChanges): Partial<PlainColumns> {
  const columns: Partial<PlainColumns> = {}
  for (const name of plain_fields) {
    const sent = changes[name]
    if (sent !== undefined) setPlain(columns, name, sent, task[name])
  }
  return columns
}

function setPlain<F extends PlainField>(
  columns: Partial<PlainColumns>,
  name: F,
  sent: unknown,
  current: unknown,
): void {
  // A value of the column's kind: the request's schema has checked the sent value.
  columns[name] = storedValue(fields[name].kind, sent, current) as TaskRow[F]
}

const byId = findById('tasks')

const byKey = query((db, p: Placeholder<{ realm: number; key: string }>) =>
  db.selectFrom('tasks').selectAll().where('realm', '=', p('realm')).where('key', '=', p('key')),
)

const key_form = /^[A-Z]{2,6}-[1-9]\d{0,15}$/

/** Whether a reference has the form of a task's key; no id has. */
export function isTaskKey(reference: string): boolean {
  return key_form.test(reference)
}

/** Found by its id or its key (`KEP-42`). */
export const taskNoun = noun({
  object: 'task',
  prefix: 'tsk',
  table: 'tasks',
  schema: Task,
  readScope: 'tasks:read',
  guests: { column: 'project', of: 'projects' },
  guestView: subtasksSeenBy,
  find: (reader, caller, reference) =>
    isTaskKey(reference)
      ? reader.first(byKey, { realm: caller.realm, key: reference })
      : reader.first(byId, { realm: caller.realm, id: reference }),
  show: showTask,
})

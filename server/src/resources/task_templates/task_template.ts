/** The task template: the initial values of a task, and which of them a request may override (contract/14#task-template). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { noun } from '../../api/declare/noun.ts'
import {
  CustomFields,
  described,
  head,
  Id,
  Labels,
  Nullable,
  OneOf,
  Revision,
  Text,
  Title,
} from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { TaskTemplateRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { type NewTask, TaskPriority, TaskStatus } from '../tasks/task.ts'

/** The fields that a request may override if the template allows it (contract/15#template-instantiation). */
export const template_overrides = [
  'project',
  'column',
  'title',
  'description',
  'assignee',
  'due_at',
  'status',
  'priority',
  'labels',
  'custom_fields',
] as const

export const TemplateDefaults = Type.Object(
  {
    title: described(Nullable(Title), 'Title of new tasks; null if a request must send it.'),
    description: described(Nullable(Text), 'Description of new tasks; null for none.'),
    status: described(Nullable(TaskStatus), 'Status of new tasks; null for the default.'),
    priority: described(Nullable(TaskPriority), 'Priority of new tasks; null for the default.'),
    assignee: described(Nullable(Id), 'User id of the assignee; null for none.'),
    due_in_seconds: described(
      Nullable(Type.Integer({ minimum: 0, maximum: limits.due_in_seconds_max })),
      'Seconds from creation to the due date; null for no due date.',
    ),
    labels: described(Labels, 'Labels of new tasks.'),
    custom_fields: described(CustomFields, 'Custom fields of new tasks; those of a request are merged in.'),
  },
  { additionalProperties: false },
)

export type TemplateDefaults = Static<typeof TemplateDefaults>

export const Overridable = Type.Array(OneOf(...template_overrides), {
  maxItems: template_overrides.length,
  uniqueItems: true,
})

export const TaskTemplate = Type.Object({
  ...head('task_template'),
  workspace: described(Id, 'Workspace of the template.'),
  project: described(Nullable(Id), 'Project of new tasks; null for none.'),
  name: described(Title, 'Name of the template.'),
  description: described(Nullable(Text), 'What the template is for; null if unset.'),
  defaults: described(TemplateDefaults, 'Values that a new task starts with.'),
  overridable: described(Overridable, 'Fields that a request may override; others are refused.'),
  revision: Revision,
})

export type TaskTemplate = Static<typeof TaskTemplate>

export function showTaskTemplate(row: TaskTemplateRow): TaskTemplate {
  return {
    id: row.id,
    object: 'task_template',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    name: row.name,
    description: row.description,
    defaults: JSON.parse(row.defaults) as TemplateDefaults,
    overridable: JSON.parse(row.overridable) as TaskTemplate['overridable'],
    revision: row.revision,
  }
}

export const taskTemplateNoun = noun({
  object: 'task_template',
  prefix: 'tpl',
  table: 'task_templates',
  schema: TaskTemplate,
  readScope: 'tasks:read',
  show: showTaskTemplate,
})

export type TemplateOverrides = Partial<Omit<NewTask, 'completed_at' | 'start_at' | 'parent'>>

/**
 * The fields of a task from a template and the fields that a request overrides; custom fields are merged key by key. `now` is
 * in milliseconds. Refuses fields that the template does not allow to override, and a missing title.
 */
export function fillIn(template: TaskTemplate, sent: TemplateOverrides, now: number): NewTask {
  for (const name of Object.keys(sent)) {
    if ((template.overridable as readonly string[]).includes(name)) continue
    throw refuse('invalid_request_body', { param: name, message: `This template does not allow overriding ${name}.` })
  }
  const { title, status, priority, due_in_seconds, ...defaults } = template.defaults
  const filled = {
    ...defaults,
    project: template.project,
    due_at: due_in_seconds === null ? null : seconds(now) + due_in_seconds,
    ...(title === null ? {} : { title }),
    ...(status === null ? {} : { status }),
    ...(priority === null ? {} : { priority }),
    ...sent,
    custom_fields: { ...defaults.custom_fields, ...sent.custom_fields },
  }
  if (filled.title === undefined) {
    throw refuse('invalid_request_body', {
      param: 'title',
      message: 'title is required, because the template has none.',
    })
  }
  const kept = Object.values(filled.custom_fields).filter((value) => value !== null)
  if (kept.length > limits.custom_fields_max) {
    const message = `custom_fields would have more than ${limits.custom_fields_max} keys.`
    throw refuse('invalid_request_body', { param: 'custom_fields', message })
  }
  return filled as NewTask
}

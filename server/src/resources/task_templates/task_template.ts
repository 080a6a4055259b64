/** The task template: what a task made from it begins with, and which of that a request may override (decisions §15). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/errors.ts'
import { noun } from '../../api/noun.ts'
import { CustomFields, head, Id, Labels, Nullable, OneOf, Revision, Text, Title } from '../../api/shapes.ts'
import type { TaskTemplateRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import { type NewTask, TaskPriority, TaskStatus } from '../tasks/task.ts'

/** What a request may override where the template lets it (decisions §15). */
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
    title: Nullable(Title),
    description: Nullable(Text),
    status: Nullable(TaskStatus),
    priority: Nullable(TaskPriority),
    assignee: Nullable(Id),
    due_in_seconds: Nullable(Type.Integer({ minimum: 0, maximum: limits.due_in_seconds_max })),
    labels: Labels,
    custom_fields: CustomFields,
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
  workspace: Id,
  project: Nullable(Id),
  name: Title,
  description: Nullable(Text),
  defaults: TemplateDefaults,
  overridable: Overridable,
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

export type TemplateOverrides = Partial<Omit<NewTask, 'completed_at'>>

/**
 * The task that a template describes with what a request overrides; custom fields are merged key by key. `now` is in
 * milliseconds. Refuses what the template does not let be overridden, and a task that is left without a title.
 */
export function fillIn(template: TaskTemplate, sent: TemplateOverrides, now: number): NewTask {
  for (const name of Object.keys(sent)) {
    if ((template.overridable as readonly string[]).includes(name)) continue
    throw refuse('invalid_request_body', { param: name, message: `This template does not let ${name} be overridden.` })
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
    throw refuse('invalid_request_body', { param: 'title', message: 'The template has no title: title is required.' })
  }
  const kept = Object.values(filled.custom_fields).filter((value) => value !== null)
  if (kept.length > limits.custom_fields_max) {
    const message = `custom_fields would have more than ${limits.custom_fields_max} keys.`
    throw refuse('invalid_request_body', { param: 'custom_fields', message })
  }
  return filled as NewTask
}

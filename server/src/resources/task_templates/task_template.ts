/** The task template: what a task made from it begins with, and which of that a request may override (decisions §15). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { CustomFields, head, Id, Labels, Nullable, OneOf, Revision, Text, Title } from '../../api/shapes.ts'
import type { TaskTemplateRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import { TaskPriority, TaskStatus } from '../tasks/task.ts'

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

export const Overridable = Type.Array(OneOf(...template_overrides), { uniqueItems: true })

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

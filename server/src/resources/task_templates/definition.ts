/** What is specific to task templates among the definitions of a workspace. */
import Type, { type Static } from 'typebox'
import { mergeCustomFields } from '../../api/declare/custom-fields.ts'
import { refuse } from '../../api/declare/errors.ts'
import { described, Id, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { userNoun } from '../members/member.ts'
import { FieldRules } from '../tasks/shared/custom-fields.ts'
import type { Definition } from '../workspaces/shared/definitions.ts'
import { taskTemplateCreated, taskTemplateDeleted, taskTemplateUpdated } from './events.ts'
import {
  Overridable,
  type TaskTemplate,
  TemplateDefaults,
  taskTemplateNoun,
  template_overrides,
} from './task_template.ts'

const SentDefaults = Type.Partial(TemplateDefaults, { additionalProperties: false })

/** `defaults` and `overridable` are checked against `fields` and `changes`; callers may pass unchecked values. */
export interface TemplateFields {
  readonly project?: string | null
  readonly name?: string
  readonly description?: string | null
  readonly defaults?: unknown
  readonly overridable?: readonly string[]
}

const optional = {
  project: Type.Optional(Nullable(Id)),
  description: Type.Optional(Nullable(Text)),
  overridable: described(
    Type.Optional(Overridable),
    'Fields that a request may override; others are refused. Default of a new template: all.',
  ),
}
const all_defaults = 'Values that a new task starts with. A change replaces all of them.'

export const new_template = {
  workspace: Id,
  name: Title,
  defaults: described(SentDefaults, 'Values that a new task starts with.'),
  ...optional,
}
export const template_changes = {
  name: Type.Optional(Title),
  defaults: described(Type.Optional(SentDefaults), all_defaults),
  ...optional,
}

export const templateDefinition: Definition<'task_templates', TaskTemplate, TemplateFields> = {
  noun: taskTemplateNoun,
  table: 'task_templates',
  fields: Type.Object(new_template, { additionalProperties: false }),
  changes: Type.Object(template_changes, { additionalProperties: false }),
  events: { created: taskTemplateCreated, updated: taskTemplateUpdated, deleted: taskTemplateDeleted },
  initial: () => ({ overridable: JSON.stringify(template_overrides) }),
  async columns(from, { overridable, ...sent }, workspace) {
    const defaults = sent.defaults as Static<typeof SentDefaults> | undefined
    if (defaults?.assignee) await requireActiveMember(from, defaults.assignee)
    await new FieldRules(from, workspace).requireFitting(defaults?.custom_fields, 'defaults.')
    return {
      ...(defaults === undefined ? {} : { defaults: JSON.stringify(completeDefaults(defaults)) }),
      ...(overridable === undefined ? {} : { overridable: JSON.stringify(overridable) }),
    }
  },
}

/** Fills in missing defaults with null, [] or {} (contract/01#null-and-absent-fields). */
function completeDefaults(sent: Partial<TemplateDefaults>): TemplateDefaults {
  return {
    title: sent.title ?? null,
    description: sent.description || null,
    status: sent.status ?? null,
    priority: sent.priority ?? null,
    assignee: sent.assignee ?? null,
    due_in_seconds: sent.due_in_seconds ?? null,
    labels: sent.labels ?? [],
    custom_fields: mergeCustomFields({}, sent.custom_fields ?? {}) as TemplateDefaults['custom_fields'],
  }
}

async function requireActiveMember(from: Parameters<typeof findReference>[1], user: string): Promise<void> {
  const param = 'defaults.assignee'
  const member = await findReference(userNoun, from, user, param)
  if (member.status === 'active') return
  throw refuse('invalid_request_body', { param, message: `${param} \`${user}\` is not an active member.` })
}

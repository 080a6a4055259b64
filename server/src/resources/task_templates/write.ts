/** Writing task templates: by the command line and the console, since the contract only reads them (decisions §7). */
import Type from 'typebox'
import type { Caller, Mode } from '../../api/caller.ts'
import { applyChange, bury } from '../../api/change.ts'
import { mergeCustomFields } from '../../api/custom-fields.ts'
import { refuse } from '../../api/errors.ts'
import { findReference } from '../../api/references.ts'
import type { Services } from '../../api/services.ts'
import { Id, Nullable, Text, Title } from '../../api/shapes.ts'
import { type Author, commitSystemChange, type RealmOf } from '../../api/system-change.ts'
import { requireLive } from '../../api/target.ts'
import { checkShape } from '../../api/validate.ts'
import { newId } from '../../lib/ids.ts'
import { userNoun } from '../members/member.ts'
import { requireUsableProject } from '../projects/queries-usable.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import {
  Overridable,
  showTaskTemplate,
  type TaskTemplate,
  TemplateDefaults,
  taskTemplateNoun,
  template_overrides,
} from './task_template.ts'

export interface NewTaskTemplate {
  readonly organization: string
  readonly realm: number
  readonly mode: Mode
  readonly workspace: string
  readonly project?: string | null
  readonly name: string
  readonly description?: string | null
  /** A JSON object of some of `title, description, status, priority, assignee, due_in_seconds, labels, custom_fields`. */
  readonly defaults: unknown
  /** What a request may override; everything where it is left out. */
  readonly overridable?: readonly string[]
  /** Without one it is the operator's doing. */
  readonly author?: Author | undefined
}

export type TemplateChange = Partial<Pick<NewTaskTemplate, 'name' | 'description' | 'defaults' | 'overridable'>>

const Fields = Type.Object({
  workspace: Id,
  project: Type.Optional(Nullable(Id)),
  name: Title,
  description: Type.Optional(Nullable(Text)),
  defaults: Type.Partial(TemplateDefaults, { additionalProperties: false }),
  overridable: Type.Optional(Overridable),
})

const Change = Type.Partial(Type.Omit(Fields, ['workspace', 'project']))

/** Adds a template. Bad input is a Refusal with its `param`, such as `defaults.status`. */
export async function addTaskTemplate(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, realm, mode, author, ...fields }: NewTaskTemplate,
): Promise<TaskTemplate> {
  const defaults = (checkShape(Fields, fields) as Type.Static<typeof Fields>).defaults
  const change = { organization, realms: [{ realm, mode }], action: 'task_templates.create', ...author }
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const from = { tx, caller: { organization, realm } as Caller }
    const workspace = await findReference(workspaceNoun, from, fields.workspace, 'workspace')
    const project = fields.project ? (await requireUsableProject(from, fields.project, workspace.id)).id : null
    if (defaults.assignee) await requireActiveMember(from, defaults.assignee)
    const row = {
      realm,
      id: newId('tpl', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      project,
      name: fields.name,
      description: fields.description || null,
      defaults: JSON.stringify(complete(defaults)),
      overridable: JSON.stringify(fields.overridable ?? template_overrides),
    }
    tx.insert('task_templates', row)
    note({ target: told(row) })
    return showTaskTemplate(row)
  })
}

export interface TemplatePlace extends RealmOf {
  readonly organization: string
}

/** Changes what is given of a template; its defaults as a whole. What changes nothing is told to nobody. */
export async function setTaskTemplate(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, ...realm }: TemplatePlace,
  id: string,
  sent: TemplateChange,
  author: Author,
): Promise<TaskTemplate> {
  const { defaults, overridable, name, description } = checkShape(Change, sent) as Type.Static<typeof Change>
  const change = { organization, realms: [realm], action: 'task_templates.update', ...author }
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const from = { tx, caller: { organization, ...realm } as Caller }
    const row = await requireLive(taskTemplateNoun, tx, from.caller, id)
    if (defaults?.assignee) await requireActiveMember(from, defaults.assignee)
    const fields = {
      name,
      description: description === undefined ? undefined : description || null,
      defaults: defaults === undefined ? undefined : JSON.stringify(complete(defaults)),
      overridable: overridable === undefined ? undefined : JSON.stringify(overridable),
    }
    const changed = applyChange(tx, 'task_templates', row, fields, now)
    if (changed !== null) note({ target: told(row) })
    return showTaskTemplate(changed ?? row)
  })
}

/** Deletes a template; its id answers 410 from then on. */
export async function deleteTaskTemplate(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, ...realm }: TemplatePlace,
  id: string,
  author: Author,
): Promise<void> {
  const change = { organization, realms: [realm], action: 'task_templates.delete', ...author }
  await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const row = await requireLive(taskTemplateNoun, tx, { organization, ...realm } as Caller, id)
    bury(tx, 'task_templates', row, now)
    note({ target: told(row) })
  })
}

/** Every field of the defaults is there: null, [] or {} where nothing was said (decisions §1). */
function complete(sent: Partial<TemplateDefaults>): TemplateDefaults {
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
  if (member.status !== 'active') {
    throw refuse('invalid_request_body', { param, message: `${param} names a member who is not active.` })
  }
}

/** As the audit log tells of it. */
function told({ id, workspace }: { readonly id: string; readonly workspace: string }) {
  return { object: 'task_template', id, workspace }
}

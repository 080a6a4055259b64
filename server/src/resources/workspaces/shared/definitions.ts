/**
 * Definitions: named objects of a workspace that a team defines once and uses by id, such as saved filters and task
 * templates. Requests, the console and the command line write them through the same functions.
 */
import type { TObject } from 'typebox'
import type { Tenant } from '../../../api/declare/caller.ts'
import type { EventType } from '../../../api/declare/event.ts'
import type { Noun, PublicObject } from '../../../api/declare/noun.ts'
import { findReference } from '../../../api/request/references.ts'
import { requireLive } from '../../../api/request/target.ts'
import { checkShape } from '../../../api/request/validate.ts'
import type { Services } from '../../../api/services.ts'
import { applyChange, markDeleted } from '../../../api/write/change.ts'
import type { RealmMode } from '../../../api/write/record.ts'
import { type Author, commitSystemChange, type SystemChange } from '../../../api/write/system-change.ts'
import type { Schema } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { findOrganization } from '../../organizations/organization.ts'
import { requireUsableProject } from '../../projects/shared/usable.ts'
import { workspaceNoun } from '../workspace.ts'

type Table = 'saved_filters' | 'task_templates'

/** The fields that every definition has. */
interface CommonFields {
  readonly project?: string | null
  readonly name?: string
  readonly description?: string | null
}

interface From {
  readonly tx: Tx
  readonly caller: Tenant
}

export interface Definition<T extends Table, Shown extends PublicObject, Sent extends CommonFields> {
  readonly noun: Noun<Schema[T], Shown>
  readonly table: T
  /** The fields of a new definition besides `workspace`, and the fields of a change. */
  readonly fields: TObject
  readonly changes: TObject
  readonly events: { readonly created: EventType; readonly updated: EventType; readonly deleted: EventType }
  /** Initial columns, replaced by those of its fields. `author` is a user id. */
  readonly initial: (author: string) => Partial<Schema[T]>
  /** Checks the fields of this kind in a workspace and returns their columns. */
  readonly columns: (from: From, sent: Sent, workspace: string, author: string) => Promise<Partial<Schema[T]>>
}

interface Writing extends From {
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

/** Creates a definition in a workspace, for a project of it if one is named. */
export async function createDefinition<T extends Table, Shown extends PublicObject, Sent extends CommonFields>(
  definition: Definition<T, Shown, Sent>,
  context: Writing,
  sent: { readonly workspace: string } & Sent,
  author: string,
): Promise<Shown> {
  const { caller, tx, now, emit } = context
  const { noun, table, events, initial } = definition
  const { id: workspace } = await findReference(workspaceNoun, context, sent.workspace, 'workspace')
  const own = await definition.columns(context, sent, workspace, author)
  const row = {
    ...{ realm: caller.realm, id: newId(noun.prefix, now), created: now, updated: now, revision: 1, deleted_at: null },
    ...{ workspace, project: null, description: null, ...initial(author) },
    ...(await commonColumns(context, sent, workspace)),
    ...own,
    // The definition names the table whose columns these are; generic code cannot show it to the compiler.
  } as Schema[T]
  tx.insert(table, row)
  const shown = noun.show(row)
  emit(events.created, shown)
  return shown
}

/** Changes the fields that are sent. */
export async function changeDefinition<T extends Table, Shown extends PublicObject, Sent extends CommonFields>(
  definition: Definition<T, Shown, Sent>,
  context: Writing,
  row: Schema[T],
  sent: Sent,
): Promise<Shown> {
  const { noun, table, events } = definition
  const { created_by = '' } = row as { readonly created_by?: string }
  const own = await definition.columns(context, sent, row.workspace, created_by)
  const columns = { ...(await commonColumns(context, sent, row.workspace, row.project)), ...own }
  const changed = applyChange(context.tx, table, row, columns, context.now)
  if (changed === null) return noun.show(row)
  const shown = noun.show(changed)
  context.emit(events.updated, shown, noun.show(row))
  return shown
}

/** Deletes a definition; its id then answers 410. */
export function deleteDefinition<T extends Table, Shown extends PublicObject, Sent extends CommonFields>(
  { noun, table, events }: Definition<T, Shown, Sent>,
  { tx, now, emit }: Writing,
  row: Schema[T],
): { readonly id: string; readonly object: string; readonly deleted: true } {
  markDeleted(tx, table, row, now)
  emit(events.deleted, noun.show(row))
  return { id: row.id, object: noun.object, deleted: true }
}

/** `current`: the definition's project, which may remain after it was archived. */
async function commonColumns(
  from: From,
  { project, name, description }: CommonFields,
  workspace: string,
  current: string | null = null,
) {
  if (project && project !== current) await requireUsableProject(from, project, workspace)
  return {
    ...(project === undefined ? {} : { project: project || null }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description: description || null }),
  }
}

type Committing = Pick<Services, 'store' | 'clock' | 'committed'>

/** The organization and realm of a write without a request. */
export interface DataSet extends RealmMode {
  readonly organization: string
}

export interface NewDefinition extends DataSet {
  /** Without an author, the operator is the actor and the organization's service user the author. */
  readonly author?: Author | undefined
}

/** The writes of a definition without a request: by the console and the command line. Wrong input is a Refusal. */
export function definitionWrites<T extends Table, Shown extends PublicObject, Sent extends CommonFields>(
  definition: Definition<T, Shown, Sent>,
) {
  const { noun, fields, changes } = definition
  const change = ({ organization, realm, mode }: DataSet, verb: string, author?: Author): SystemChange => ({
    organization,
    realms: [{ realm, mode }],
    action: `${definition.table}.${verb}`,
    ...author,
  })
  return {
    async add(
      services: Committing,
      { organization, realm, mode, author, ...sent }: NewDefinition & { readonly workspace: string } & Sent,
    ): Promise<Shown> {
      const caller = { organization, realm }
      // The same schema as in the API has checked it.
      const checked = checkShape(fields, sent) as typeof sent & { readonly workspace: string } & Sent
      return await commitSystemChange(services, change({ ...caller, mode }, 'create', author), async (context) => {
        const user = author?.actor.id ?? (await serviceUserOf(context.tx, organization))
        return await createDefinition(definition, { ...context, caller }, checked, user)
      })
    },
    async set(services: Committing, place: DataSet, id: string, sent: Sent, author: Author): Promise<Shown> {
      const checked = checkShape(changes, sent) as Sent
      return await commitSystemChange(services, change(place, 'update', author), async (context) => {
        const row = await requireLive(noun, context.tx, place, id)
        return await changeDefinition(definition, { ...context, caller: place }, row, checked)
      })
    },
    async remove(services: Committing, place: DataSet, id: string, author: Author): Promise<void> {
      await commitSystemChange(services, change(place, 'delete', author), async (context) => {
        const row = await requireLive(noun, context.tx, place, id)
        deleteDefinition(definition, { ...context, caller: place }, row)
      })
    },
  }
}

async function serviceUserOf(tx: Tx, organization: string): Promise<string> {
  const row = await tx.first(findOrganization, { organization })
  if (row === undefined) throw new Error(`There is no organization ${organization}.`)
  return row.service_user
}

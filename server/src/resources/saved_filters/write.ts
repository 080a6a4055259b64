/** Writing saved filters: by the command line and the console, since the contract only reads them (decisions §7). */
import Type from 'typebox'
import type { Caller, Mode } from '../../api/caller.ts'
import { applyChange, bury } from '../../api/change.ts'
import { refuse } from '../../api/errors.ts'
import { findReference } from '../../api/references.ts'
import type { Services } from '../../api/services.ts'
import { Id, Nullable, Text, Title } from '../../api/shapes.ts'
import { type Author, commitSystemChange, type RealmOf } from '../../api/system-change.ts'
import { requireLive } from '../../api/target.ts'
import { checkShape } from '../../api/validate.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import { findOrganization } from '../organizations/organization.ts'
import { requireUsableProject } from '../projects/queries-usable.ts'
import { parseSort, readFilter } from '../tasks/queries-filter.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { type SavedFilter, savedFilterNoun, showSavedFilter } from './saved_filter.ts'

export interface NewSavedFilter {
  readonly organization: string
  readonly realm: number
  readonly mode: Mode
  readonly workspace: string
  readonly project?: string | null
  readonly name: string
  readonly description?: string | null
  readonly filter: string
  readonly sort?: string | null
  /** Without one it is the operator's doing, in the name of the organization's service user. */
  readonly author?: Author | undefined
}

export interface FilterChange {
  readonly name?: string
  readonly description?: string | null
  readonly filter?: string
  readonly sort?: string | null
}

const Fields = Type.Object({
  workspace: Id,
  project: Type.Optional(Nullable(Id)),
  name: Title,
  description: Type.Optional(Nullable(Text)),
  filter: Type.String({ minLength: 1, maxLength: limits.filter_chars_max }),
  sort: Type.Optional(Nullable(Type.String())),
})

const Change = Type.Partial(Type.Omit(Fields, ['workspace', 'project']))

/** Adds a filter that the team sees. Bad input is a Refusal with its `param`. */
export async function addSavedFilter(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, realm, mode, author, ...fields }: NewSavedFilter,
): Promise<SavedFilter> {
  checkShape(Fields, fields)
  requireQuestion(fields)
  const change = { organization, realms: [{ realm, mode }], action: 'saved_filters.create', ...author }
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const from = { tx, caller: { organization, realm } as Caller }
    const workspace = await findReference(workspaceNoun, from, fields.workspace, 'workspace')
    const project = fields.project ? (await requireUsableProject(from, fields.project, workspace.id)).id : null
    const owner = author?.actor.id ?? (await tx.first(findOrganization, { organization }))?.service_user
    const row = {
      realm,
      id: newId('flt', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      project,
      name: fields.name,
      description: fields.description || null,
      filter: fields.filter,
      sort: fields.sort || null,
      visibility: 'team',
      created_by: owner as string,
    }
    tx.insert('saved_filters', row)
    note({ target: told(row) })
    return showSavedFilter(row)
  })
}

export interface FilterPlace extends RealmOf {
  readonly organization: string
}

/** Changes what is given of a filter. What changes nothing is told to nobody. */
export async function setSavedFilter(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, ...realm }: FilterPlace,
  id: string,
  sent: FilterChange,
  author: Author,
): Promise<SavedFilter> {
  const fields = checkShape(Change, sent) as FilterChange
  requireQuestion(fields)
  const change = { organization, realms: [realm], action: 'saved_filters.update', ...author }
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const row = await requireLive(savedFilterNoun, tx, { organization, ...realm } as Caller, id)
    const { description, sort } = fields
    const blanked = {
      ...fields,
      ...(description === undefined ? {} : { description: description || null }),
      ...(sort === undefined ? {} : { sort: sort || null }),
    }
    const changed = applyChange(tx, 'saved_filters', row, blanked, now)
    if (changed !== null) note({ target: told(row) })
    return showSavedFilter(changed ?? row)
  })
}

/** Deletes a filter; its id answers 410 from then on. */
export async function deleteSavedFilter(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, ...realm }: FilterPlace,
  id: string,
  author: Author,
): Promise<void> {
  const change = { organization, realms: [realm], action: 'saved_filters.delete', ...author }
  await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const row = await requireLive(savedFilterNoun, tx, { organization, ...realm } as Caller, id)
    bury(tx, 'saved_filters', row, now)
    note({ target: told(row) })
  })
}

function requireQuestion({ filter, sort }: FilterChange): void {
  if (filter !== undefined) requireReadable('filter', readFilter(filter))
  if (sort) requireReadable('sort', parseSort(sort))
}

function requireReadable(param: string, read: { readonly ok: true } | { readonly ok: false; message: string }): void {
  if (!read.ok) throw refuse('invalid_request_body', { param, message: read.message })
}

/** As the audit log tells of it. */
function told({ id, workspace }: { readonly id: string; readonly workspace: string }) {
  return { object: 'saved_filter', id, workspace }
}

/** Writing saved filters: by the command line and the console, since the contract only reads them (decisions §7). */
import Type from 'typebox'
import type { Caller, Mode } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { findReference } from '../../api/references.ts'
import type { Services } from '../../api/services.ts'
import { Id, Nullable, Text, Title } from '../../api/shapes.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import { checkShape } from '../../api/validate.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import { findOrganization } from '../organizations/organization.ts'
import { requireUsableProject } from '../projects/queries-usable.ts'
import { parseSort, readFilter } from '../tasks/queries-filter.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { type SavedFilter, showSavedFilter } from './saved_filter.ts'

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
}

const Fields = Type.Object({
  workspace: Id,
  project: Type.Optional(Nullable(Id)),
  name: Title,
  description: Type.Optional(Nullable(Text)),
  filter: Type.String({ minLength: 1, maxLength: limits.filter_chars_max }),
  sort: Type.Optional(Nullable(Type.String())),
})

/** Adds a filter that the team sees, as the organization's service user. Bad input is a Refusal with its `param`. */
export async function addSavedFilter(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  { organization, realm, mode, ...fields }: NewSavedFilter,
): Promise<SavedFilter> {
  checkShape(Fields, fields)
  requireReadable('filter', readFilter(fields.filter))
  if (fields.sort) requireReadable('sort', parseSort(fields.sort))
  const change = { organization, realms: [{ realm, mode }], action: 'saved_filters.create' }
  return await commitSystemChange(services, change, async ({ tx, now, note }) => {
    const from = { tx, caller: { organization, realm } as Caller }
    const workspace = await findReference(workspaceNoun, from, fields.workspace, 'workspace')
    const project = fields.project ? (await requireUsableProject(from, fields.project, workspace.id)).id : null
    const owner = await tx.first(findOrganization, { organization })
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
      created_by: owner?.service_user as string,
    }
    tx.insert('saved_filters', row)
    note({ target: { object: 'saved_filter', id: row.id } })
    return showSavedFilter(row)
  })
}

function requireReadable(param: string, read: { readonly ok: true } | { readonly ok: false; message: string }): void {
  if (!read.ok) throw refuse('invalid_request_body', { param, message: read.message })
}

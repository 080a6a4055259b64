/** What is specific to saved filters among the definitions of a workspace. */
import Type from 'typebox'
import { type Caller, guestOf, type Tenant } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { Id, Nullable, OneOf, Text, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { Reader } from '../../db/store.ts'
import { fieldOrder, isSavedFilterId, parseSort, readFilter, resolveFilter } from '../tasks/shared/filter.ts'
import type { Definition } from '../workspaces/shared/definitions.ts'
import { savedFilterCreated, savedFilterDeleted, savedFilterUpdated } from './events.ts'
import {
  Columns,
  GroupBy,
  layouts,
  type SavedFilter,
  savedFilterNoun,
  team,
  viewerOf,
  visibilities,
} from './saved_filter.ts'

export interface FilterFields {
  readonly project?: string | null
  readonly name?: string
  readonly description?: string | null
  readonly filter?: string
  readonly sort?: string | null
  readonly visibility?: SavedFilter['visibility']
  readonly layout?: SavedFilter['layout']
  readonly group_by?: string | null
  readonly columns?: readonly string[] | null
  readonly pinned?: boolean
}

const optional = {
  project: Type.Optional(Nullable(Id)),
  description: Type.Optional(Nullable(Text)),
  sort: Type.Optional(Nullable(Type.String({ maxLength: limits.filter_chars_max }))),
  visibility: Type.Optional(OneOf(...visibilities)),
  layout: Type.Optional(OneOf(...layouts)),
  group_by: Type.Optional(Nullable(GroupBy)),
  columns: Type.Optional(Nullable(Columns)),
  pinned: Type.Optional(Type.Boolean()),
}
const Expression = Type.String({ minLength: 1, maxLength: limits.filter_chars_max })

export const new_filter = { workspace: Id, name: Title, filter: Expression, ...optional }
export const filter_changes = { name: Type.Optional(Title), filter: Type.Optional(Expression), ...optional }

export const filterDefinition: Definition<'saved_filters', SavedFilter, FilterFields> = {
  noun: savedFilterNoun,
  table: 'saved_filters',
  fields: Type.Object(new_filter, { additionalProperties: false }),
  changes: Type.Object(filter_changes, { additionalProperties: false }),
  events: { created: savedFilterCreated, updated: savedFilterUpdated, deleted: savedFilterDeleted },
  initial: (author) => ({
    ...{ sort: null, visibility: team, created_by: author, audience: team },
    ...{ layout: 'list', group_by: null, columns: null, pinned: 0 },
  }),
  async columns(from, { filter, sort, visibility, columns, pinned, layout, group_by }, workspace, author) {
    if (visibility === 'private') requireAuthor(from.caller, author)
    if (visibility === team && guestOf(from.caller) !== null) throw notForTeam()
    if (filter !== undefined) await requireExpression(from, filter, workspace)
    if (sort) await requireSort(from, sort, workspace)
    return {
      ...(filter !== undefined && { filter }),
      ...(sort !== undefined && { sort: sort || null }),
      ...(visibility !== undefined && { visibility, audience: visibility === team ? team : author }),
      ...(layout !== undefined && { layout }),
      ...(group_by !== undefined && { group_by }),
      ...(columns !== undefined && { columns: columns === null ? null : JSON.stringify(columns) }),
      ...(pinned !== undefined && { pinned: pinned ? 1 : 0 }),
    }
  },
}

function notForTeam(): Error {
  const message = 'visibility cannot be "team". The filters of a guest are private.'
  return refuse('invalid_request_body', { param: 'visibility', message })
}

/** Refuses to hide a filter from its team, unless its author does. */
function requireAuthor(tenant: Tenant | Caller, author: string): void {
  if (viewerOf(tenant) === author) return
  const message = 'visibility cannot be "private". Only the author of a filter can make it private.'
  throw refuse('invalid_request_body', { param: 'visibility', message })
}

/**
 * Refuses the id of a saved filter, because a filter could then contain itself, and names that fit no person, project or
 * column of the workspace, or several.
 */
async function requireExpression(
  { tx, caller }: { readonly tx: Reader; readonly caller: Tenant },
  filter: string,
  workspace: string,
): Promise<void> {
  if (isSavedFilterId(filter)) {
    const message = `filter must be an expression, not \`${filter}\`, the id of a saved filter.`
    throw refuse('invalid_request_body', { param: 'filter', message })
  }
  // Whether it is valid does not depend on the time.
  const read = readFilter(filter, 0)
  requireValid('filter', read)
  // `me` is the caller of each later request.
  if (read.ok)
    requireValid('filter', await resolveFilter(read, { reader: tx, tenant: caller, workspace, now: 0, me: '' }))
}

/** Refuses an order by a custom field that the workspace does not define. */
async function requireSort(
  { tx, caller }: { readonly tx: Reader; readonly caller: Tenant },
  sort: string,
  workspace: string,
): Promise<void> {
  const read = parseSort(sort)
  requireValid('sort', read)
  if (read.ok) await fieldOrder(tx, caller, read.keys, workspace, 'invalid_request_body')
}

function requireValid(param: string, read: { readonly ok: true } | { readonly ok: false; message: string }): void {
  if (!read.ok) throw refuse('invalid_request_body', { param, message: read.message })
}

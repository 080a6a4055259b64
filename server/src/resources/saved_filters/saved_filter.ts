/** The saved filter: a question about tasks that a team shares. A private one is nobody's business here (contract §4.4). */
import Type, { type Static } from 'typebox'
import { findById, noun } from '../../api/noun.ts'
import { head, Id, Nullable, OneOf, Revision, Text, Title } from '../../api/shapes.ts'
import type { SavedFilterRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

export const SavedFilter = Type.Object({
  ...head('saved_filter'),
  workspace: Id,
  project: Nullable(Id),
  name: Title,
  description: Nullable(Text),
  filter: Type.String({ maxLength: limits.filter_chars_max }),
  sort: Nullable(Type.String()),
  visibility: OneOf('team'),
  created_by: Id,
  revision: Revision,
})

export type SavedFilter = Static<typeof SavedFilter>

export function showSavedFilter(row: SavedFilterRow): SavedFilter {
  return {
    id: row.id,
    object: 'saved_filter',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    name: row.name,
    description: row.description,
    filter: row.filter,
    sort: row.sort,
    visibility: row.visibility as SavedFilter['visibility'],
    created_by: row.created_by,
    revision: row.revision,
  }
}

const byId = findById('saved_filters')

/** Found only when its team may see it. */
export const savedFilterNoun = noun({
  object: 'saved_filter',
  prefix: 'flt',
  table: 'saved_filters',
  schema: SavedFilter,
  readScope: 'tasks:read',
  async find(reader, caller, reference) {
    const row = await reader.first(byId, { realm: caller.realm, id: reference })
    return row?.visibility === 'team' ? row : undefined
  },
  show: showSavedFilter,
})

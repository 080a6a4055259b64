/** The saved filter: a task filter shared by the team. Private ones are not part of the API (contract/14#saved-filter). */
import Type, { type Static } from 'typebox'
import { findById, noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf, Revision, Text, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { SavedFilterRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const SavedFilter = Type.Object({
  ...head('saved_filter'),
  workspace: described(Id, 'Workspace of the filter.'),
  project: described(Nullable(Id), 'Project that the filter belongs to; null for the whole workspace.'),
  name: described(Title, 'Name of the filter.'),
  description: described(Nullable(Text), 'What the filter is for; null if unset.'),
  filter: described(
    Type.String({ maxLength: limits.filter_chars_max }),
    'Filter expression, as in `filter` of the list of tasks.',
  ),
  sort: described(Nullable(Type.String()), 'Sort order, as in `sort` of the list of tasks; null for the default.'),
  visibility: described(OneOf('team'), 'Always `team`: private filters are not served.'),
  created_by: described(Id, 'User id of its author.'),
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

/** Private filters are not found. */
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

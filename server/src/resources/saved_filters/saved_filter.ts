/**
 * The saved filter: a task filter with the view that shows it, for the team or for one person. A private one is missing for
 * everyone but its author (contract/14#saved-filter, contract/17#views).
 */
import Type, { type Static } from 'typebox'
import { actingUser, type Caller, type Tenant } from '../../api/declare/caller.ts'
import { findById, noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf, Revision, Text, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { SavedFilterRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const layouts = ['list', 'board', 'calendar', 'timeline'] as const
export const visibilities = ['team', 'private'] as const
export const team = 'team'

export const GroupBy = Type.String({
  pattern: '^(status|assignee|priority|project|column|labels|due_at|custom_fields\\.[a-z][a-z0-9_]{0,39})$',
})
export const Columns = Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }), {
  maxItems: limits.custom_fields_max,
  uniqueItems: true,
})

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
  visibility: described(
    OneOf(...visibilities),
    '`team`, or `private`: then only its author finds it, and its changes emit no events.',
  ),
  created_by: described(Id, 'User id of its author.'),
  revision: Revision,
  layout: described(OneOf(...layouts), 'Layout in which the console shows its tasks.'),
  group_by: described(Nullable(GroupBy), 'Property by which the tasks are divided; null without groups.'),
  columns: described(
    Nullable(Columns),
    'Keys of the custom fields that the list shows as columns; null for those that the reader has chosen.',
  ),
  pinned: described(Type.Boolean(), 'Whether the console lists it in the navigation of those who see it.'),
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
    layout: row.layout as SavedFilter['layout'],
    group_by: row.group_by,
    columns: row.columns === null ? null : (JSON.parse(row.columns) as string[]),
    pinned: row.pinned === 1,
  }
}

const byId = findById('saved_filters')

/** The person who reads. Workers and commands act for no person, so they find what the team sees. */
export function viewerOf(tenant: Tenant | Caller): string | null {
  return 'owner' in tenant ? actingUser(tenant) : null
}

/** A private filter is found by its author only. */
export const savedFilterNoun = noun({
  object: 'saved_filter',
  prefix: 'flt',
  table: 'saved_filters',
  schema: SavedFilter,
  readScope: 'tasks:read',
  guests: { column: 'audience', of: 'person' },
  async find(reader, caller, reference) {
    const row = await reader.first(byId, { realm: caller.realm, id: reference })
    return row?.audience === team || (row !== undefined && row.audience === viewerOf(caller)) ? row : undefined
  },
  show: showSavedFilter,
})

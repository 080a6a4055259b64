/** The column: a stage of a project's board, ordered by `position` (decisions §14). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Color, head, Id, Nullable, Position, Revision, Title } from '../../api/shapes.ts'
import type { ColumnRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Column = Type.Object({
  ...head('column'),
  workspace: Id,
  project: Id,
  name: Title,
  position: Position,
  color: Nullable(Color),
  revision: Revision,
})

export type Column = Static<typeof Column>

export function showColumn(row: ColumnRow): Column {
  return {
    id: row.id,
    object: 'column',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    name: row.name,
    position: row.position,
    color: row.color,
    revision: row.revision,
  }
}

export const columnNoun = noun({
  object: 'column',
  prefix: 'col',
  table: 'columns',
  schema: Column,
  readScope: 'projects:read',
  show: showColumn,
})

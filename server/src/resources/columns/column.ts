/** The column: a stage of a project's board, ordered by `position` (contract/14#column). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Color, described, head, Id, Nullable, Position, Revision, Title } from '../../api/declare/shapes.ts'
import type { ColumnRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { TaskStatus } from '../tasks/task.ts'

export const Column = Type.Object({
  ...head('column'),
  workspace: described(Id, 'Workspace of the project.'),
  project: described(Id, 'Project that the column belongs to.'),
  name: described(Title, 'Name of the column.'),
  position: described(Position, 'Sort key among the columns of the project, ascending.'),
  color: described(Nullable(Color), 'Colour as `#rrggbb`; null if unset.'),
  status: described(
    Nullable(TaskStatus),
    'Status that tasks of the column have: a task takes it when it enters; null leaves the status as it is.',
  ),
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
    status: row.status as Column['status'],
    revision: row.revision,
  }
}

export const columnNoun = noun({
  object: 'column',
  prefix: 'col',
  table: 'columns',
  schema: Column,
  readScope: 'projects:read',
  guests: { column: 'project', of: 'projects' },
  show: showColumn,
})

import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, listOf, Position } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { findReference } from '../../api/request/references.ts'
import { applyChange } from '../../api/write/change.ts'
import type { ColumnRow } from '../../db/schema.ts'
import { projectNoun, requireActiveProject } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { Column, showColumn } from './column.ts'
import { columnUpdated } from './events.ts'
import { columnsNamed } from './queries.ts'

const ColumnPosition = Type.Object(
  {
    id: described(Id, 'Column of the project.'),
    position: described(
      Type.Optional(Position),
      'New sort key. Default: 1024 times the number of the entry, counted from 1.',
    ),
  },
  { additionalProperties: false },
)

/**
 * Puts up to 100 columns of an active project in the order sent, all or none. The first entry without a position gets 1024,
 * the second 2048, and so on. A column that keeps its position is not changed.
 */
export const reorderColumns = writeOperation({
  id: 'columns.reorder',
  method: 'POST',
  path: '/v1/columns/reorder',
  summary: 'Reorder columns',
  scope: 'projects:write',
  credits: 25,
  body: {
    workspace: described(Id, 'Workspace of the project.'),
    project: described(Id, 'Project whose columns are reordered.'),
    data: Type.Array(Type.Union([Id, ColumnPosition]), {
      minItems: 1,
      maxItems: limits.reorder_columns_max,
      description: 'Columns in their new order, as ids or objects. Columns left out keep their positions.',
    }),
  },
  returns: listOf(Column, false),
  emits: [columnUpdated],
  example: { body: { workspace: '{workspace}', project: '{project}', data: [{ id: '{column}', position: 512 }] } },
  async handle({ body, caller, tx, now, emit, note }) {
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const project = await findReference(projectNoun, { tx, caller }, body.project, 'project', workspace.id)
    requireActiveProject(project, 'project')
    const entries = body.data.map((entry) => (typeof entry === 'string' ? { id: entry } : entry))
    const ids = entries.map(({ id }) => id)
    const columns = inOrder(ids, await columnsNamed(tx, project, ids))
    note({ target: { object: 'project', id: project.id } })
    const data = columns.map((column, i) => {
      const position = entries[i]?.position ?? (i + 1) * limits.position_step
      const changed = applyChange(tx, 'columns', column, { position }, now)
      if (changed !== null) emit(columnUpdated, showColumn(changed), showColumn(column))
      return showColumn(changed ?? column)
    })
    return { object: 'list', url: '/v1/columns', has_more: false, next_cursor: null, data }
  },
})

/** The columns in the order sent. Refuses an unknown, foreign or repeated one (contract/15#column-reorder). */
function inOrder(ids: readonly string[], found: ReadonlyMap<string, ColumnRow>): ColumnRow[] {
  return ids.map((id, i) => {
    const column = found.get(id)
    const param = `data[${i}]`
    if (column === undefined) {
      throw refuse('invalid_request_body', { param, message: `${param} names no column of this project.` })
    }
    if (ids.indexOf(id) < i) {
      throw refuse('invalid_request_body', { param, message: `${param} repeats a column.` })
    }
    return column
  })
}

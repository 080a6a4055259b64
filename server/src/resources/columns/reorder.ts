import Type from 'typebox'
import { applyChange } from '../../api/change.ts'
import { refuse } from '../../api/errors.ts'
import { listOf, writeOperation } from '../../api/operation.ts'
import { findReference } from '../../api/references.ts'
import { Id, Position } from '../../api/shapes.ts'
import type { ColumnRow } from '../../db/schema.ts'
import { limits } from '../../lib/limits.ts'
import { projectNoun, requireActiveProject } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { Column, showColumn } from './column.ts'
import { columnUpdated } from './events.ts'
import { columnsNamed } from './queries.ts'

const Place = Type.Object({ id: Id, position: Type.Optional(Position) }, { additionalProperties: false })

/**
 * Puts up to 100 columns of an active project in the order sent, all or none. An entry without a position gets 1024
 * times its place in the order; a column that keeps its position is not changed.
 */
export const reorderColumns = writeOperation({
  id: 'columns.reorder',
  method: 'POST',
  path: '/v1/columns/reorder',
  summary: 'Reorder columns',
  scope: 'projects:write',
  credits: 25,
  body: {
    workspace: Id,
    project: Id,
    data: Type.Array(Type.Union([Id, Place]), { minItems: 1, maxItems: limits.reorder_columns_max }),
  },
  returns: listOf(Column, false),
  emits: [columnUpdated],
  example: { body: { workspace: '{workspace}', project: '{project}', data: [{ id: '{column}', position: 512 }] } },
  async handle({ body, caller, tx, now, emit, note }) {
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const project = await findReference(projectNoun, { tx, caller }, body.project, 'project', workspace.id)
    requireActiveProject(project, 'project')
    const places = body.data.map((place) => (typeof place === 'string' ? { id: place } : place))
    const ids = places.map((place) => place.id)
    const columns = inOrder(ids, await columnsNamed(tx, project, ids))
    note({ target: { object: 'project', id: project.id } })
    const data = columns.map((column, i) => {
      const position = places[i]?.position ?? (i + 1) * limits.position_step
      const changed = applyChange(tx, 'columns', column, { position }, now)
      if (changed !== null) emit(columnUpdated, showColumn(changed), showColumn(column))
      return showColumn(changed ?? column)
    })
    return { object: 'list', url: '/v1/columns', has_more: false, next_cursor: null, data }
  },
})

/** The columns as named; one that is not the project's, or is named twice, refuses the whole (decisions §15). */
function inOrder(ids: readonly string[], found: ReadonlyMap<string, ColumnRow>): ColumnRow[] {
  return ids.map((id, i) => {
    const column = found.get(id)
    const param = `data[${i}]`
    if (column === undefined) {
      throw refuse('invalid_request_body', { param, message: `${param} names no column of this project.` })
    }
    if (ids.indexOf(id) < i) {
      throw refuse('invalid_request_body', { param, message: `${param} names a column for the second time.` })
    }
    return column
  })
}

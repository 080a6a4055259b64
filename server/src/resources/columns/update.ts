import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Color, Nullable, Position, Title } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { Column, columnNoun, showColumn } from './column.ts'
import { columnUpdated } from './events.ts'
import { requireActiveColumn } from './queries.ts'

/** Changes the name, position, color or status of a column. A new status changes none of its tasks. A column cannot move to another project. */
export const updateColumn = writeOperation({
  id: 'columns.update',
  method: 'PATCH',
  path: '/v1/columns/{id}',
  summary: 'Update a column',
  scope: 'projects:write',
  credits: 10,
  target: columnNoun,
  body: {
    name: Type.Optional(Title),
    position: Type.Optional(Position),
    color: Type.Optional(Nullable(Color)),
    status: Type.Optional(Column.properties.status),
  },
  returns: Column,
  emits: [columnUpdated],
  example: { params: { id: '{column}' }, body: { color: '#118833' } },
  async handle({ target, body, caller, tx, now, emit }) {
    await requireActiveColumn({ tx, caller }, target)
    const { name, position, color, status } = body
    const changed = applyChange(tx, 'columns', target, { name, position, color, status }, now)
    if (changed !== null) emit(columnUpdated, showColumn(changed), showColumn(target))
    return showColumn(changed ?? target)
  },
})

import { readOperation } from '../../api/declare/operation.ts'
import { Column, columnNoun, showColumn } from './column.ts'

/** Shows a column. */
export const retrieveColumn = readOperation({
  id: 'columns.retrieve',
  method: 'GET',
  path: '/v1/columns/{id}',
  summary: 'Retrieve a column',
  scope: 'projects:read',
  credits: 1,
  target: columnNoun,
  returns: Column,
  example: { params: { id: '{column}' } },
  handle: ({ target }) => showColumn(target),
})

import { readOperation } from '../../api/declare/operation.ts'
import { Board, boardNoun, showBoard } from './board.ts'

/** Shows a board, archived or not, by its id or by a unique legacy room id. */
export const retrieveBoard = readOperation({
  id: 'boards.retrieve',
  method: 'GET',
  path: '/v1/boards/{id}',
  summary: 'Retrieve a board',
  scope: 'boards:read',
  credits: 1,
  target: boardNoun,
  returns: Board,
  example: { params: { id: '{board}' } },
  handle: ({ target }) => showBoard(target),
})

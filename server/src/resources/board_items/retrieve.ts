import { readOperation } from '../../api/declare/operation.ts'
import { boardNoun } from '../boards/board.ts'
import { BoardItem, boardItemNoun, showBoardItem } from './board_item.ts'

/** Shows an item of the published snapshot. Items of older snapshots answer 404. */
export const retrieveBoardItem = readOperation({
  id: 'board_items.retrieve',
  method: 'GET',
  path: '/v1/boards/{id}/items/{item_id}',
  summary: 'Retrieve an item of a board',
  scope: 'boards:read',
  credits: 1,
  parent: boardNoun,
  target: boardItemNoun,
  returns: BoardItem,
  example: { params: { id: '{board}', item_id: '{board_item}' } },
  handle: ({ target }) => showBoardItem(target),
})

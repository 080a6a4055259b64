import { listOperation } from '../../api/declare/operation.ts'
import { listById } from '../../api/request/page.ts'
import { boardNoun } from '../boards/board.ts'
import { boardLinkNoun } from './board_link.ts'

/** Lists the links for guests of a board, newest first, with those that have ended. Their secrets are not shown. */
export const listBoardLinks = listOperation({
  id: 'board_links.list',
  method: 'GET',
  path: '/v1/boards/{id}/links',
  summary: 'List the links for guests of a board',
  scope: 'boards:read',
  credits: 5,
  extension: true,
  parent: boardNoun,
  paging: 'id',
  lists: boardLinkNoun,
  example: { params: { id: '{board}' } },
  handle: (context) =>
    listById(context, boardLinkNoun, { where: { board: context.parent.id }, fixed: ['board'], isBelow: true }),
})

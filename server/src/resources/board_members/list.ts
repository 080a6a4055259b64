import { listOperation } from '../../api/declare/operation.ts'
import { listById } from '../../api/request/page.ts'
import { boardNoun } from '../boards/board.ts'
import { boardMemberNoun } from './board_member.ts'

/** Lists the members of a board, newest first, so the owner is last. */
export const listBoardMembers = listOperation({
  id: 'board_members.list',
  method: 'GET',
  path: '/v1/boards/{id}/members',
  summary: 'List the members of a board',
  scope: 'boards:read',
  credits: 5,
  parent: boardNoun,
  paging: 'id_forward',
  lists: boardMemberNoun,
  example: { params: { id: '{board}' } },
  handle: (context) =>
    listById(context, boardMemberNoun, { where: { board: context.parent.id }, fixed: ['board'], isBelow: true }),
})

import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { boardNoun } from '../boards/board.ts'
import { boardCommentNoun } from './board_comment.ts'

/** Lists the comments of a board with their replies, newest first. */
export const listBoardComments = listOperation({
  id: 'board_comments.list',
  method: 'GET',
  path: '/v1/boards/{id}/comments',
  summary: 'List the comments of a board',
  scope: 'boards:read',
  credits: 5,
  extension: true,
  parent: boardNoun,
  paging: 'id',
  fields: true,
  query: { thread: idParameter('Only the comments of this thread.', boardCommentNoun) },
  lists: boardCommentNoun,
  example: { params: { id: '{board}' } },
  handle: (context) =>
    listById(context, boardCommentNoun, {
      where: { board: context.parent.id, thread: context.query.thread },
      fixed: ['board'],
      isBelow: true,
    }),
})

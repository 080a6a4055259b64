import { readOperation } from '../../api/declare/operation.ts'
import { boardNoun } from '../boards/board.ts'
import { BoardComment, boardCommentNoun, isOnBoard, showBoardComment } from './board_comment.ts'

/** Shows a comment on a board. Below the path of another board the answer is 404. */
export const retrieveBoardComment = readOperation({
  id: 'board_comments.retrieve',
  method: 'GET',
  path: '/v1/boards/{id}/comments/{comment_id}',
  summary: 'Retrieve a comment on a board',
  scope: 'boards:read',
  credits: 1,
  extension: true,
  parent: boardNoun,
  target: boardCommentNoun,
  within: isOnBoard,
  returns: BoardComment,
  example: { params: { id: '{board}', comment_id: '{board_comment}' } },
  handle: ({ target }) => showBoardComment(target),
})

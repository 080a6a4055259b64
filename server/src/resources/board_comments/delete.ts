import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { requireCommenter } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { boardCommentNoun, isAuthor, isOnBoard } from './board_comment.ts'
import { boardCommentDeleted } from './events.ts'
import { deleteComments, withThread } from './shared/change.ts'

/**
 * Deletes a comment; with the first one its thread is deleted, an event each. Authors delete their own, editors of the board
 * every one. Its id then answers 410.
 */
export const deleteBoardComment = writeOperation({
  id: 'board_comments.delete',
  method: 'DELETE',
  path: '/v1/boards/{id}/comments/{comment_id}',
  summary: 'Delete a comment on a board',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  target: boardCommentNoun,
  within: isOnBoard,
  returns: Deleted('board_comment'),
  emits: [boardCommentDeleted],
  example: { params: { id: '{board}', comment_id: '{board_comment}' } },
  async handle({ parent, target, caller, tx, now, emit, note }) {
    const access = await requireCommenter(tx, caller, parent)
    if (access !== 'editor' && !isAuthor(caller, target)) {
      throw refuse('insufficient_scope', { message: 'Only its author and editors of the board may delete a comment.' })
    }
    const comments = await withThread({ tx }, target)
    note({ room: parent.id, target: { object: 'board_comment', id: target.id } })
    deleteComments({ tx, now, emit }, comments)
    return { id: target.id, object: 'board_comment', deleted: true }
  },
})

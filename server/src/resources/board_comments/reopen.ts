import { writeOperation } from '../../api/declare/operation.ts'
import { applyChange } from '../../api/write/change.ts'
import { requireCommenter } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { BoardComment, boardCommentNoun, isOnBoard, showBoardComment } from './board_comment.ts'
import { boardCommentReopened } from './events.ts'
import { requireFirst } from './resolve.ts'

/** Opens a resolved thread again, named by its first comment. An open one stays as it is. */
export const reopenBoardComment = writeOperation({
  id: 'board_comments.reopen',
  method: 'POST',
  path: '/v1/boards/{id}/comments/{comment_id}/reopen',
  summary: 'Open a thread on a board again',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  target: boardCommentNoun,
  within: isOnBoard,
  returns: BoardComment,
  emits: [boardCommentReopened],
  example: { params: { id: '{board}', comment_id: '{resolved_thread}' } },
  async handle({ parent, target, caller, tx, now, emit, note }) {
    await requireCommenter(tx, caller, parent)
    requireFirst(target)
    note({ room: parent.id })
    const changed = applyChange(tx, 'board_comments', target, { resolved_at: null, resolved_by: null }, now)
    if (changed !== null) emit(boardCommentReopened, showBoardComment(changed), showBoardComment(target))
    return showBoardComment(changed ?? target)
  },
})

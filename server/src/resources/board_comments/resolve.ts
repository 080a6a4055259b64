import { actingUser } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { applyChange } from '../../api/write/change.ts'
import type { BoardCommentRow } from '../../db/schema.ts'
import { requireCommenter } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { BoardComment, boardCommentNoun, isFirst, isOnBoard, showBoardComment } from './board_comment.ts'
import { boardCommentResolved } from './events.ts'

/** Resolves a thread, named by its first comment. A resolved one stays as it is. */
export const resolveBoardComment = writeOperation({
  id: 'board_comments.resolve',
  method: 'POST',
  path: '/v1/boards/{id}/comments/{comment_id}/resolve',
  summary: 'Resolve a thread on a board',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  target: boardCommentNoun,
  within: isOnBoard,
  returns: BoardComment,
  emits: [boardCommentResolved],
  example: { params: { id: '{board}', comment_id: '{board_comment}' } },
  async handle({ parent, target, caller, tx, now, emit, note }) {
    await requireCommenter(tx, caller, parent)
    requireFirst(target)
    note({ room: parent.id })
    if (target.resolved_at !== null) return showBoardComment(target)
    const fields = { resolved_at: now, resolved_by: actingUser(caller) }
    const changed = applyChange(tx, 'board_comments', target, fields, now)
    if (changed !== null) emit(boardCommentResolved, showBoardComment(changed), showBoardComment(target))
    return showBoardComment(changed ?? target)
  },
})

/** A thread is resolved and opened again as a whole. */
export function requireFirst(comment: BoardCommentRow): void {
  if (isFirst(comment)) return
  const message = `This comment is a reply. Use the first comment of its thread, ${comment.thread}.`
  throw refuse('resource_conflict', { message })
}

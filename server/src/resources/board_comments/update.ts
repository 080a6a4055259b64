import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Nullable } from '../../api/declare/shapes.ts'
import type { BoardCommentRow } from '../../db/schema.ts'
import { type BoardAccess, requireCommenter } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import {
  BoardComment,
  BoardCommentBody,
  boardCommentNoun,
  ElementId,
  isAuthor,
  isFirst,
  isOnBoard,
  Place,
  showBoardComment,
} from './board_comment.ts'
import { boardCommentUpdated } from './events.ts'
import { changeComment, textFields } from './shared/change.ts'
import { requireElement } from './shared/create.ts'

/**
 * Changes the text of a comment, which sets `edited_at`, or moves a thread. Only its author changes a text; editors of the board
 * move every thread, commenters their own. What is equal changes nothing.
 */
export const updateBoardComment = writeOperation({
  id: 'board_comments.update',
  method: 'PATCH',
  path: '/v1/boards/{id}/comments/{comment_id}',
  summary: 'Edit a comment on a board',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  target: boardCommentNoun,
  within: isOnBoard,
  body: {
    body: Type.Optional(BoardCommentBody),
    position: Type.Optional(Place),
    element: Type.Optional(Nullable(ElementId)),
  },
  returns: BoardComment,
  emits: [boardCommentUpdated],
  example: { params: { id: '{board}', comment_id: '{board_comment}' }, body: { position: { x: 200, y: 80 } } },
  async handle({ parent, target, body: sent, caller, tx, now, emit, note }) {
    const access = await requireCommenter(tx, caller, parent)
    requireOwn(isAuthor(caller, target), access, sent.body !== undefined)
    refuseMovedReply(target, sent)
    const { body, position, element } = sent
    if (element != null && element !== target.element) await requireElement(tx, parent, element)
    note({ room: parent.id })
    const fields = {
      ...(body === undefined ? {} : textFields(target, body, now)),
      ...(position === undefined ? {} : { x: position.x, y: position.y }),
      ...(element === undefined ? {} : { element }),
    }
    return showBoardComment(changeComment({ tx, now, emit }, target, fields))
  },
})

function requireOwn(isOwn: boolean, access: BoardAccess, isText: boolean): void {
  if (isOwn) return
  if (isText) throw refuse('insufficient_scope', { message: 'Only its author may change the text of a comment.' })
  if (access === 'editor') return
  throw refuse('insufficient_scope', { message: 'Only editors of the board may move the threads of others.' })
}

function refuseMovedReply(target: BoardCommentRow, sent: { position?: object; element?: string | null }): void {
  if (isFirst(target)) return
  for (const param of ['position', 'element'] as const) {
    if (sent[param] === undefined) continue
    const message = `\`${param}\` of a reply cannot be set: it is at the place of its thread.`
    throw refuse('invalid_request_body', { param, message })
  }
}

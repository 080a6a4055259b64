import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, Nullable } from '../../api/declare/shapes.ts'
import { requireCommenter } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { authorOf, BoardComment, BoardCommentBody, ElementId, Place, showBoardComment } from './board_comment.ts'
import { boardCommentCreated } from './events.ts'
import { createComment } from './shared/create.ts'

/**
 * Begins a thread at `position` of the canvas, or of `element`, or replies in a `thread`. A person needs to be owner, editor or
 * commenter of the board; the author is the person of the credential, and cannot be sent.
 */
export const createBoardComment = writeOperation({
  id: 'board_comments.create',
  method: 'POST',
  path: '/v1/boards/{id}/comments',
  summary: 'Comment on a board',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  body: {
    body: BoardCommentBody,
    position: Type.Optional(Place),
    element: Type.Optional(Nullable(ElementId)),
    thread: Type.Optional(described(Id, 'First comment of the thread to reply in.')),
  },
  returns: BoardComment,
  emits: [boardCommentCreated],
  example: { params: { id: '{board}' }, body: { body: 'Is this still true?', position: { x: 120, y: 80 } } },
  async handle({ parent, body, caller, tx, now, emit, note }) {
    await requireCommenter(tx, caller, parent)
    const row = await createComment({ tx, now, emit }, parent, body, authorOf(caller))
    note({ room: parent.id })
    return showBoardComment(row)
  },
})

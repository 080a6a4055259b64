import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { boardNoun, requireActiveBoard, showBoard } from './board.ts'
import { boardDeleted } from './events.ts'

/** Archives a board: it stays readable, and the operator can restore it. An archived board answers 409. */
export const deleteBoard = writeOperation({
  id: 'boards.delete',
  method: 'DELETE',
  path: '/v1/boards/{id}',
  summary: 'Archive a board',
  scope: 'boards:write',
  credits: 10,
  confirmed: true,
  target: boardNoun,
  returns: Deleted('board'),
  emits: [boardDeleted],
  example: { params: { id: '{board}' } },
  handle({ target, tx, now, emit, note }) {
    requireActiveBoard(target)
    note({ room: target.id })
    applyChange(tx, 'boards', target, { status: 'archived', archived_at: now }, now)
    emit(boardDeleted, showBoard(target))
    return { id: target.id, object: 'board', deleted: true }
  },
})

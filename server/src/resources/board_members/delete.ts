import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { boardNoun, requireActiveBoard } from '../boards/board.ts'
import { boardUpdated } from '../boards/events.ts'
import { changeBoard } from '../boards/shared/change.ts'
import { boardUserNoun, refuseOwner, showBoardMember } from './board_member.ts'
import { boardMemberDeleted } from './events.ts'

/** Removes a user from a board. The owner cannot be removed. Sharing again creates a new membership. */
export const deleteBoardMember = writeOperation({
  id: 'board_members.delete',
  method: 'DELETE',
  path: '/v1/boards/{id}/members/{user_id}',
  summary: 'Remove a member of a board',
  scope: 'boards:write',
  credits: 10,
  parent: boardNoun,
  target: boardUserNoun,
  returns: Deleted('board_member'),
  emits: [boardMemberDeleted, boardUpdated],
  example: { params: { id: '{board}', user_id: '{board_member}' } },
  handle({ parent, target, tx, now, emit, note }) {
    requireActiveBoard(parent)
    refuseOwner(target)
    note({ room: parent.id })
    markDeleted(tx, 'board_members', target, now)
    emit(boardMemberDeleted, showBoardMember(target))
    changeBoard({ tx, now, emit }, parent, { member_count: parent.member_count - 1 })
    return { id: target.id, object: 'board_member', deleted: true }
  },
})

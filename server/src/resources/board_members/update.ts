import { writeOperation } from '../../api/declare/operation.ts'
import { OneOf } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { boardNoun, requireActiveBoard } from '../boards/board.ts'
import { BoardMember, boardUserNoun, granted_roles, refuseOwner, showBoardMember } from './board_member.ts'
import { boardMemberUpdated } from './events.ts'

/** Changes the role of a member of a board. The owner's role cannot be changed. */
export const updateBoardMember = writeOperation({
  id: 'board_members.update',
  method: 'PATCH',
  path: '/v1/boards/{id}/members/{user_id}',
  summary: 'Change the role of a member of a board',
  scope: 'boards:write',
  credits: 10,
  parent: boardNoun,
  target: boardUserNoun,
  body: { role: OneOf(...granted_roles) },
  returns: BoardMember,
  emits: [boardMemberUpdated],
  example: { params: { id: '{board}', user_id: '{board_member}' }, body: { role: 'viewer' } },
  handle({ parent, target, body, tx, now, emit, note }) {
    requireActiveBoard(parent)
    refuseOwner(target)
    note({ room: parent.id })
    const changed = applyChange(tx, 'board_members', target, { role: body.role }, now)
    if (changed !== null) emit(boardMemberUpdated, showBoardMember(changed), showBoardMember(target))
    return showBoardMember(changed ?? target)
  },
})

import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, OneOf } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { applyChange } from '../../api/write/change.ts'
import { boardNoun, requireActiveBoard } from '../boards/board.ts'
import { boardUpdated } from '../boards/events.ts'
import { addMembership, changeBoard } from '../boards/shared/change.ts'
import { userNoun } from '../members/member.ts'
import { BoardMember, granted_roles, membershipOf, refuseOwner, showBoardMember } from './board_member.ts'
import { boardMemberCreated, boardMemberUpdated } from './events.ts'

/** Shares a board with an active member of the organization. For a user who already has access, this changes the role. */
export const createBoardMember = writeOperation({
  id: 'board_members.create',
  method: 'POST',
  path: '/v1/boards/{id}/members',
  summary: 'Share a board',
  scope: 'boards:write',
  credits: 10,
  parent: boardNoun,
  body: { user: Id, role: OneOf(...granted_roles) },
  returns: BoardMember,
  emits: [boardMemberCreated, boardMemberUpdated, boardUpdated],
  example: { params: { id: '{board}' }, body: { user: '{other_user}', role: 'editor' } },
  async handle({ parent, body, caller, tx, now, emit, note }) {
    const { user, role } = body
    requireActiveBoard(parent)
    const existing = await tx.first(membershipOf, { realm: caller.realm, board: parent.id, user })
    if (existing !== undefined) refuseOwner(existing)
    const member = await findReference(userNoun, { tx, caller }, user, 'user')
    if (member.status !== 'active') {
      throw refuse('invalid_request_body', {
        param: 'user',
        message: `user "${user}" names a member who is not active.`,
      })
    }
    note({ room: parent.id })
    if (existing === undefined) {
      const added = addMembership({ tx, now, emit }, parent, user, role)
      changeBoard({ tx, now, emit }, parent, { member_count: parent.member_count + 1 })
      return showBoardMember(added)
    }
    const changed = applyChange(tx, 'board_members', existing, { role }, now)
    if (changed !== null) emit(boardMemberUpdated, showBoardMember(changed), showBoardMember(existing))
    return showBoardMember(changed ?? existing)
  },
})

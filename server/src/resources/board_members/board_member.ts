/** The membership of a user in a board. The owner's cannot be removed (contract/15#board-membership). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import type { Noun } from '../../api/declare/noun.ts'
import { noun } from '../../api/declare/noun.ts'
import { described, head, Id, OneOf } from '../../api/declare/shapes.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { BoardMemberRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

/** The roles that requests may set. A board's only owner is set when it is created. */
export const granted_roles = ['editor', 'commenter', 'viewer'] as const

export const BoardMember = Type.Object({
  ...head('board_member'),
  board: described(Id, 'Board that is shared.'),
  user: described(Id, 'User id of the member.'),
  role: described(
    OneOf('owner', ...granted_roles),
    'What the user may do on the board. A board has one owner; requests set the other roles.',
  ),
})

export type BoardMember = Static<typeof BoardMember>

export function showBoardMember(row: BoardMemberRow): BoardMember {
  return {
    id: row.id,
    object: 'board_member',
    created: seconds(row.created),
    updated: seconds(row.updated),
    board: row.board,
    user: row.user,
    role: row.role as BoardMember['role'],
  }
}

export const boardMemberNoun: Noun<BoardMemberRow, BoardMember> = noun({
  object: 'board_member',
  prefix: 'bmb',
  table: 'board_members',
  schema: BoardMember,
  readScope: 'boards:read',
  workspaced: false,
  forgets: true,
  show: showBoardMember,
})

/** The current membership of a user. */
export const membershipOf = query((db, p: Placeholder<{ realm: number; board: string | null; user: string }>) =>
  db
    .selectFrom('board_members')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('user', '=', p('user'))
    .where('deleted_at', 'is', null),
)

/** A membership is named by the user's id below the board's path. A removed one is not found (contract/02#deleted-objects). */
export const boardUserNoun: Noun<BoardMemberRow, BoardMember> = {
  ...boardMemberNoun,
  find: (reader, { realm }, reference, parent) =>
    reader.first(membershipOf, { realm, board: parent?.id ?? null, user: reference }),
}

/** Refuses to change or remove the owner's membership (contract/15#board-membership). */
export function refuseOwner(member: BoardMemberRow): void {
  if (member.role === 'owner') {
    throw refuse('resource_conflict', { message: "The owner's membership cannot be changed or removed." })
  }
}

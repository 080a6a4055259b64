/** The membership of a user in a board; the owner's stands as long as the board (decisions §14, §15). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/errors.ts'
import type { Noun } from '../../api/noun.ts'
import { noun } from '../../api/noun.ts'
import { head, Id, OneOf } from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { BoardMemberRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

/** The roles that a request may give: a board has one owner, from its beginning. */
export const granted_roles = ['editor', 'commenter', 'viewer'] as const

export const BoardMember = Type.Object({
  ...head('board_member'),
  board: Id,
  user: Id,
  role: OneOf('owner', ...granted_roles),
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

/** The membership that a user has now. */
export const membershipOf = query((db, p) =>
  db
    .selectFrom('board_members')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('user', '=', p('user'))
    .where('deleted_at', 'is', null),
)

/** A membership named by its user's id below the path of its board; one that was revoked is not there (decisions §2). */
export const boardUserNoun: Noun<BoardMemberRow, BoardMember> = {
  ...boardMemberNoun,
  find: (reader, { realm }, reference, parent) =>
    reader.first(membershipOf, { realm, board: parent?.id ?? null, user: reference }),
}

/** The owner's membership cannot be changed or removed (decisions §15). */
export function refuseOwner(member: BoardMemberRow): void {
  if (member.role === 'owner') {
    throw refuse('resource_conflict', { message: "The owner's membership cannot be changed or removed." })
  }
}

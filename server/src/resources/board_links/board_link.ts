/**
 * The link for guests: opens one board, until a set time, to anyone who holds it, without an account
 * (contract/14#board-link). The secret is shown once; the database finds the link by its digest.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Nullable, OneOf, Seconds, Title } from '../../api/declare/shapes.ts'
import type { BoardLinkRow, BoardRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

/** What guests may do, each more than the one before: a `viewer` looks, a `commenter` also comments, an `editor` also draws. */
export const link_roles = ['viewer', 'commenter', 'editor'] as const

const fields = {
  ...head('board_link'),
  board: described(Id, 'Board that the link opens.'),
  name: described(Title, 'Name of the link, for those who manage it. Guests do not see it.'),
  role: described(
    OneOf(...link_roles),
    'What guests may do: a `viewer` looks, a `commenter` also reads and writes comments, an `editor` also draws.',
  ),
  expires_at: described(Seconds, 'When the link ends, in Unix seconds.'),
  creator: described(Actor, 'Who made the link. It opens the board only as long as its creator may draw on the board.'),
  last_used_at: described(Nullable(Seconds), 'When a guest last came by the link, in Unix seconds; null if never.'),
}

export const BoardLink = Type.Object(fields)

export const BoardLinkWithSecret = Type.Object({
  ...fields,
  secret: described(
    Type.String(),
    'Secret of the link, which only this answer has. Guests open `/b#` and the secret at the address of the console: the ' +
      'fragment is not sent to servers.',
  ),
})

export type BoardLink = Static<typeof BoardLink>

export function showBoardLink(row: BoardLinkRow): BoardLink {
  return {
    id: row.id,
    object: 'board_link',
    created: seconds(row.created),
    updated: seconds(row.updated),
    board: row.board,
    name: row.name,
    role: row.role as BoardLink['role'],
    expires_at: seconds(row.expires_at),
    creator: { type: row.creator_type, id: row.creator_id },
    last_used_at: row.last_used_at === null ? null : seconds(row.last_used_at),
  }
}

export const boardLinkNoun = noun({
  object: 'board_link',
  prefix: 'blk',
  table: 'board_links',
  schema: BoardLink,
  readScope: 'boards:read',
  workspaced: false,
  show: showBoardLink,
})

/** A link is found only below the path of its board (contract/06#nested-ids). */
export function isOfBoard(link: BoardLinkRow, board: BoardRow): boolean {
  return link.board === board.id
}

/**
 * What a caller may do on the canvas of a board. Scopes come first; a person also needs a membership: editors and the owner
 * draw, commenters comment, viewers look. A credential of the organization acts by its scopes alone.
 */
import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { requireScope } from '../../../api/request/authorize.ts'
import { guestAccessOf } from '../../../api/request/guest-access.ts'
import type { BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { requireActiveBoard } from '../../boards/board.ts'
import { membershipOf } from '../board_member.ts'

/**
 * Whether a person may still open a board, by the role and the projects at this moment: a connection outlives the look-up of its
 * credential.
 */
export async function mayOpen(
  reader: Reader,
  { organization, realm, owner }: Caller,
  board: BoardRow,
): Promise<boolean> {
  if (owner.type !== 'user') return true
  const guest = await guestAccessOf(reader, { organization, realm, user: owner.id })
  return guest === null || guest.projects.has(board.project ?? '')
}

export type BoardAccess = 'editor' | 'commenter' | 'viewer'

/** Without a membership, a person who may read boards is a viewer. */
export async function accessOf(reader: Reader, caller: Caller, board: BoardRow): Promise<BoardAccess> {
  if (!caller.scopes.has('boards:write') || board.status === 'archived') return 'viewer'
  if (caller.owner.type !== 'user') return 'editor'
  if (!(await mayOpen(reader, caller, board))) return 'viewer'
  const { realm } = board
  const member = await reader.first(membershipOf, { realm, board: board.id, user: caller.owner.id })
  if (member?.role === 'owner' || member?.role === 'editor') return 'editor'
  return member?.role === 'commenter' ? 'commenter' : 'viewer'
}

/** Refuses a caller who may not comment. Returns what the caller may do besides. */
export async function requireCommenter(reader: Reader, caller: Caller, board: BoardRow): Promise<BoardAccess> {
  requireActiveBoard(board)
  requireScope(caller, 'boards:write')
  const access = await accessOf(reader, caller, board)
  if (access !== 'viewer') return access
  throw refuse('insufficient_scope', { message: 'Only editors and commenters of the board may comment on it.' })
}

/** Refuses a caller who may not draw. */
export async function requireEditor(reader: Reader, caller: Caller, board: BoardRow): Promise<void> {
  requireActiveBoard(board)
  requireScope(caller, 'boards:write')
  if ((await accessOf(reader, caller, board)) === 'editor') return
  throw refuse('insufficient_scope', { message: 'Only editors of the board may draw on it.' })
}

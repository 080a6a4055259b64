/**
 * Whether a link opens its board. It does until its end, if it is not revoked, the board is not archived, and its creator still
 * may draw on the board. It is asked at each opening and in the transaction of each change.
 */
import type { BoardLinkRow, BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { boardNoun } from '../../boards/board.ts'
import { credentialOf, editorOf } from '../queries.ts'

/** The board that a link opens at `now` (milliseconds); null if it opens none. */
export async function boardOfLink(reader: Reader, link: BoardLinkRow, now: number): Promise<BoardRow | null> {
  if (link.deleted_at !== null || now >= link.expires_at) return null
  const board = await boardNoun.find(reader, { organization: link.organization, realm: link.realm }, link.board)
  if (board === undefined || board.status !== 'active') return null
  return (await mayCreatorDraw(reader, link, now)) ? board : null
}

async function mayCreatorDraw(reader: Reader, link: BoardLinkRow, now: number): Promise<boolean> {
  const { organization, realm, board, creator_type, creator_id } = link
  if (creator_type === 'user') {
    const person = await reader.first(editorOf, { organization, realm, board, user: creator_id })
    if (person === undefined || person.plan === null || person.role === 'guest') return false
    return person.board_role === 'owner' || person.board_role === 'editor'
  }
  const credential = await reader.first(credentialOf, { realm, id: creator_id })
  if (credential === undefined || credential.plan === null) return false
  if (credential.expires_at !== null && now >= credential.expires_at) return false
  return (JSON.parse(credential.scopes) as string[]).includes('boards:write')
}

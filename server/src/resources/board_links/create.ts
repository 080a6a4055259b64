import Type from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { makeCredential } from '../../api/declare/credential-format.ts'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Moment, OneOf, Title } from '../../api/declare/shapes.ts'
import type { BoardLinkRow, BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { millis, seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { requireEditor } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { BoardLinkWithSecret, link_roles, showBoardLink } from './board_link.ts'
import { boardLinkCreated } from './events.ts'
import { board_link_limits } from './limits.ts'
import { countOfBoard } from './queries.ts'

/**
 * Makes a link that opens the board to people without an account, until `expires_at`: 7 days from now by default, 90 at most.
 * A person needs to be owner or editor of the board; the link works as long as that holds, and the board is not archived.
 */
export const createBoardLink = writeOperation({
  id: 'board_links.create',
  method: 'POST',
  path: '/v1/boards/{id}/links',
  summary: 'Make a link for guests',
  description:
    'The answer is the only one that holds the secret. A lost answer is found again with its Idempotency-Key.',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  body: { name: Title, role: OneOf(...link_roles), expires_at: Type.Optional(Moment) },
  returns: BoardLinkWithSecret,
  emits: [boardLinkCreated],
  sealed: true,
  example: { params: { id: '{board}' }, body: { name: 'Workshop in May', role: 'editor' } },
  async handle({ parent, body, caller, tx, now, sealer, emit, note }) {
    await requireEditor(tx, caller, parent)
    const expires_at = endOf(body.expires_at, caller, now)
    await requireRoomForLink(tx, parent)
    const secret = makeCredential('access_token', caller.mode)
    const creator = creatorOf(caller)
    const row: BoardLinkRow = {
      ...{ realm: caller.realm, id: newId('blk', now), created: now, updated: now, revision: 1, deleted_at: null },
      ...{ organization: caller.organization, mode: caller.mode, board: parent.id, name: body.name, role: body.role },
      ...{ digest: sealer.digest(secret), expires_at, creator_type: creator.type, creator_id: creator.id },
      last_used_at: null,
    }
    tx.insert('board_links', row)
    note({ room: parent.id })
    const link = showBoardLink(row)
    emit(boardLinkCreated, link)
    return { ...link, secret }
  },
})

/** The person, or the credential of the organization, with whose right the link ends. */
function creatorOf({ owner, kind, credential }: Caller): { readonly type: string; readonly id: string } {
  return owner.type === 'user' ? { type: 'user', id: owner.id } : { type: kind, id: credential }
}

/** When the link ends, in milliseconds: no later than a credential of the organization that makes it. */
function endOf(sent: number | undefined, { owner, expiresAt }: Caller, now: number): number {
  const { board_link_ms_default, board_link_ms_max } = board_link_limits
  const last = Math.min(
    now + board_link_ms_max,
    owner.type === 'user' ? Number.POSITIVE_INFINITY : (expiresAt ?? Number.POSITIVE_INFINITY),
  )
  if (sent === undefined) return Math.min(now + board_link_ms_default, last)
  const end = millis(sent)
  if (end > now && end <= last) return end
  const message = `expires_at ${sent} is not in the range from ${seconds(now) + 1} to ${seconds(last)}: a link ends in the future, within 90 days, and with the credential of the organization that makes it.`
  throw refuse('invalid_request_body', { param: 'expires_at', message })
}

async function requireRoomForLink(reader: Reader, { realm, id }: BoardRow): Promise<void> {
  const { board_links_max: max } = board_link_limits
  const found = await reader.first(countOfBoard, { realm, board: id })
  if (Number(found?.count ?? 0) < max) return
  throw refuse('resource_conflict', { message: `A board has at most ${max} links. Delete those that have ended.` })
}

/**
 * Guests of links: a person without an account who has opened a link and given a name. The session lasts some hours, is bound
 * to its link, and its token is good for the live board of that link and nothing else. Answers to wrong, revoked and ended
 * secrets do not differ.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import { makeCredential } from '../../../api/declare/credential-format.ts'
import { type Refusal, refuse } from '../../../api/declare/errors.ts'
import type { Services } from '../../../api/services.ts'
import { type Author, commitSystemChange } from '../../../api/write/system-change.ts'
import type { BoardGuestRow, BoardLinkRow, BoardRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import type { BoardAccess } from '../../board_members/shared/access.ts'
import { board_link_limits } from '../limits.ts'
import { guestByDigest, guestById, linkByDigest, linkById, startsOf, touchLink } from '../queries.ts'
import { boardOfLink } from './open-link.ts'

/** The prefix of a guest's id, which is the author of what the guest draws. */
const guest_prefix = 'bgu'

function isGuestId(author: string): boolean {
  return author.startsWith(`${guest_prefix}_`)
}

/** A guest with the link and the board at the moment of the look-up. */
export interface PresentGuest {
  readonly guest: BoardGuestRow
  readonly link: BoardLinkRow
  readonly board: BoardRow
}

/** What the guests of a link may do. */
export function accessOfLink({ role }: Pick<BoardLinkRow, 'role'>): BoardAccess {
  return role === 'editor' || role === 'commenter' ? role : 'viewer'
}

export type LinkServices = Pick<Services, 'store' | 'sealer'>

/** What every secret that opens no board is answered. */
export function endedLink(): Refusal {
  const message = 'This link does not exist, has ended or was revoked. Ask the person who sent it for a new one.'
  return refuse('link_invalid', { message })
}

/** The link of a secret and its board, at `now` (milliseconds). Refuses a secret that opens no board. */
export async function requireOpenLink(
  { store, sealer }: LinkServices,
  secret: string,
  now: number,
): Promise<{ readonly link: BoardLinkRow; readonly board: BoardRow }> {
  const link = await store.reader('system').first(linkByDigest, { digest: sealer.digest(secret) })
  const board = link === undefined ? null : await boardOfLink(store.reader(scopeOf(link)), link, now)
  if (link === undefined || board === null) throw endedLink()
  return { link, board }
}

/** Begins a session by a link. Only the answer holds the token. The link is the actor of the audit entry. */
export async function beginGuest(
  services: Pick<Services, 'store' | 'clock' | 'committed' | 'sealer'>,
  { secret, name }: { readonly secret: string; readonly name: string },
  source: Author['source'],
): Promise<PresentGuest & { readonly token: string }> {
  const { link: found } = await requireOpenLink(services, secret, services.clock.now())
  const { organization, realm, id } = found
  const mode = found.mode as Mode
  const token = makeCredential('access_token', mode)
  const about = { organization, realms: [{ realm, mode }], action: 'board_links.open', source } as const
  const actor = { type: 'board_link', id } as const
  return await commitSystemChange(services, { ...about, actor }, async ({ tx, now, note }) => {
    const link = await tx.first(linkById, { realm, id })
    const board = link === undefined ? null : await boardOfLink(tx, link, now)
    if (link === undefined || board === null) throw endedLink()
    await requireRoomForStart(tx, link, now)
    const guest = newGuest(link, name, services.sealer.digest(token), now)
    tx.insert('board_guests', guest)
    tx.write(touchLink, { realm, id, now })
    note({ target: { object: 'board_guest', id: guest.id }, room: board.id })
    return { guest, link, board, token }
  })
}

function newGuest(link: BoardLinkRow, name: string, digest: string, now: number): BoardGuestRow {
  const { realm, organization, id } = link
  const expires_at = Math.min(now + board_link_limits.board_guest_ms, link.expires_at)
  return { realm, id: newId(guest_prefix, now), created: now, expires_at, organization, link: id, name, digest }
}

async function requireRoomForStart(tx: Tx, { realm, id }: BoardLinkRow, now: number): Promise<void> {
  const { board_guest_starts_max: max, board_guest_starts_ms } = board_link_limits
  const starts = await tx.all(startsOf, { realm, link: id, since: now - board_guest_starts_ms, count: max })
  if (starts.length < max) return
  const retryAfter = Math.max(1, Math.ceil(((starts[0]?.created ?? now) + board_guest_starts_ms - now) / 1000))
  const message = 'Too many people have opened this link within a few minutes. Try again later.'
  throw refuse('too_many_attempts', { message, retryAfter })
}

/** The guest of a token; null for a token that is not valid, or no longer. */
export async function findGuest(
  { store, sealer }: LinkServices,
  token: string,
  now: number,
): Promise<PresentGuest | null> {
  const guest = await store.reader('system').first(guestByDigest, { digest: sealer.digest(token) })
  return guest === undefined ? null : await presentGuest(store.reader(scopeOf(guest)), guest, now)
}

/** The same guest at this moment; null once the session or the link has ended. */
export async function presentGuest(
  reader: Reader,
  { realm, id }: Pick<BoardGuestRow, 'realm' | 'id'>,
  now: number,
): Promise<PresentGuest | null> {
  const guest = await reader.first(guestById, { realm, id })
  if (guest === undefined || now >= guest.expires_at) return null
  const link = await reader.first(linkById, { realm, id: guest.link })
  const board = link === undefined ? null : await boardOfLink(reader, link, now)
  return link === undefined || board === null ? null : { guest, link, board }
}

/** The name of the guest who is an author; null of another author, and of a guest who is no longer kept. */
export async function nameOfGuest(reader: Reader, realm: number, author: string | null): Promise<string | null> {
  if (author === null || !isGuestId(author)) return null
  return (await reader.first(guestById, { realm, id: author }))?.name ?? null
}

export function scopeOf({ organization, realm }: Pick<BoardGuestRow, 'organization' | 'realm'>) {
  return { organization, realms: [realm] }
}

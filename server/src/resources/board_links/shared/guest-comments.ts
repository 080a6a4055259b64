/**
 * Comments of guests of links (contract/14#board-link). A guest whose link says so reads the comments of the board and writes
 * some; who wrote the others, and what they refer to, is not shown.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Services } from '../../../api/services.ts'
import { type Author, commitSystemChange } from '../../../api/write/system-change.ts'
import type { BoardCommentRow, BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import { smallestId } from '../../../lib/ids.ts'
import { type GuestTextPart, guestText } from '../../../text/guest-text.ts'
import { createComment, type SentComment } from '../../board_comments/shared/create.ts'
import { board_link_limits } from '../limits.ts'
import { commentOfKey, commentsBefore, countOfGuests, guestCommentsSince, stateOfComments } from '../queries.ts'
import {
  accessOfLink,
  endedLink,
  findGuest,
  type LinkServices,
  type PresentGuest,
  presentGuest,
  scopeOf,
} from './guests.ts'

/** The kind of author that a guest is. */
const guest_author = 'board_guest'

/** A comment as guests see it. */
export interface CommentForGuests {
  readonly id: string
  readonly thread: string
  readonly position: { readonly x: number; readonly y: number } | null
  readonly element: string | null
  readonly body: readonly GuestTextPart[]
  /** The name of a guest; null for everyone else. */
  readonly guest: string | null
  readonly created: number
  readonly is_edited: boolean
  readonly is_resolved: boolean
}

/** Newest first. `before` is what the next page is asked with; null on the last one. */
export interface CommentPage {
  readonly state: string
  /** Null if nothing has changed since the state that was sent. */
  readonly data: readonly CommentForGuests[] | null
  readonly before: string | null
}

type CommentServices = LinkServices & Pick<Services, 'clock' | 'committed'>

/** The guest of a token who may comment. Refuses a token that is not valid, and a link for looking. */
async function requireCommenter(services: LinkServices, token: string, now: number): Promise<PresentGuest> {
  const present = await findGuest(services, token, now)
  if (present === null) throw endedLink()
  return requireMayComment(present)
}

function requireMayComment(present: PresentGuest): PresentGuest {
  if (accessOfLink(present.link) !== 'viewer') return present
  throw refuse('insufficient_scope', { message: 'The link is for looking only.' })
}

/** A page of the comments of the guest's board. With the `state` of an earlier answer it is empty while nothing has changed. */
export async function readComments(
  services: LinkServices,
  { token, state: known, before }: { readonly token: string; readonly state?: string; readonly before?: string },
  now: number,
): Promise<CommentPage> {
  const { guest, board } = await requireCommenter(services, token, now)
  const reader = services.store.reader(scopeOf(guest))
  const key = { realm: guest.realm, board: board.id }
  const found = await reader.first(stateOfComments, key)
  const state = `${found?.count ?? 0}.${found?.deleted ?? 0}.${found?.revisions ?? 0}`
  if (state === known && before === undefined) return { state, data: null, before: null }
  const size = board_link_limits.board_guest_comments_page
  const rows = await reader.all(commentsBefore, { ...key, before: before ?? after_all_ids, count: size + 1 })
  const page = rows.slice(0, size)
  return {
    state,
    data: page.map(showForGuests),
    before: rows.length > size ? (page.at(-1)?.id ?? null) : null,
  }
}

/** Sorts behind every id of a comment. */
const after_all_ids = 'bcm`'

interface GuestComment extends SentComment {
  /** Names the comment among those of the guest: sent again, it is answered with the comment that was written. */
  readonly key: string
}

/** Writes a comment with the guest as its author. The link is the actor of the event and of the audit entry. */
export async function commentAsGuest(
  services: CommentServices,
  token: string,
  { key, ...sent }: GuestComment,
  source: Author['source'],
): Promise<CommentForGuests> {
  const { guest: found, link: opened } = await requireCommenter(services, token, services.clock.now())
  const { organization, realm, id } = found
  const realms = [{ realm, mode: opened.mode as Mode }]
  const actor = { type: 'board_link', id: opened.id } as const
  const about = { organization, realms, action: 'board_comments.create', actor, source }
  return await commitSystemChange(services, about, async ({ tx, now, emit, note }) => {
    const present = await presentGuest(tx, { realm, id }, now)
    if (present === null) throw endedLink()
    const { guest, board } = requireMayComment(present)
    const guest_key = `${id} ${key}`
    const known = await tx.first(commentOfKey, { realm, guest_key })
    if (known !== undefined) return showForGuests(known)
    await requireRoomForGuest(tx, board, guest.id, now)
    const author = { type: guest_author, id, guest: guest.name, guest_key }
    const row = await createComment({ tx, now, emit }, board, sent, author)
    note({ room: board.id })
    return showForGuests(row)
  })
}

/** Guests of a board share one bound, because one link begins many sessions. */
async function requireRoomForGuest(reader: Reader, { realm, id: board }: BoardRow, guest: string, now: number) {
  const limits = board_link_limits
  const since = now - limits.board_guest_comments_ms
  const bounds = { from: smallestId('bcm', Math.max(0, since)), since, count: limits.board_guests_comments_max }
  const recent = await reader.all(guestCommentsSince, { realm, board, ...bounds })
  const own = recent.filter(({ author_id }) => author_id === guest)
  const full = own.length >= limits.board_guest_comments_max ? own : recent
  const max = full === own ? limits.board_guest_comments_max : limits.board_guests_comments_max
  if (full.length >= max) {
    const retryAfter = Math.max(1, Math.ceil(((full[0]?.created ?? now) + limits.board_guest_comments_ms - now) / 1000))
    const message = 'Guests have written too many comments within a few minutes. Try again later.'
    throw refuse('too_many_attempts', { message, retryAfter })
  }
  const { count = 0 } = (await reader.first(countOfGuests, { realm, board })) ?? {}
  if (Number(count) < limits.board_guests_comments_kept_max) return
  const message = `A board keeps at most ${limits.board_guests_comments_kept_max} comments of guests. Ask its people to delete some.`
  throw refuse('resource_conflict', { message })
}

function showForGuests(row: BoardCommentRow): CommentForGuests {
  const { id, thread, x, y, element, guest } = row
  return {
    ...{ id, thread, position: x === null || y === null ? null : { x, y }, element, guest },
    body: guestText(row.body),
    created: seconds(row.created),
    is_edited: row.edited_at !== null,
    is_resolved: row.resolved_at !== null,
  }
}

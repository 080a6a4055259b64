/**
 * Comments of guests of links (contract/14#board-link). A guest whose link says so reads the comments of the board, writes some,
 * and changes and deletes those of the own session; who wrote the others, and what they refer to, is not shown.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import { type Refusal, refuse } from '../../../api/declare/errors.ts'
import { findById } from '../../../api/declare/noun.ts'
import type { AuditNote } from '../../../api/declare/operation.ts'
import type { Services } from '../../../api/services.ts'
import { type Author, commitSystemChange } from '../../../api/write/system-change.ts'
import type { BoardCommentRow, BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import { smallestId } from '../../../lib/ids.ts'
import { type GuestTextPart, guestText } from '../../../text/guest-text.ts'
import { changeComment, deleteComments, textFields, withThread } from '../../board_comments/shared/change.ts'
import { createComment, type SentComment } from '../../board_comments/shared/create.ts'
import type { BoardWork } from '../../boards/shared/change.ts'
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

const commentById = findById('board_comments')

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
  /** The text as it was written, of a comment of this guest, who can change and delete it; null of every other one. */
  readonly own: string | null
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
    data: page.map((row) => showForGuest(row, guest.id)),
    before: rows.length > size ? (page.at(-1)?.id ?? null) : null,
  }
}

/** Sorts behind every id of a comment. */
const after_all_ids = 'bcm`'

interface GuestComment extends SentComment {
  /** Names the comment among those of the guest: sent again, it is answered with the comment that was written. */
  readonly key: string
}

/** Writes a comment with the guest as its author. */
export async function commentAsGuest(
  services: CommentServices,
  token: string,
  { key, ...sent }: GuestComment,
  source: Author['source'],
): Promise<CommentForGuests> {
  return await commitAsGuest(services, { token, action: 'board_comments.create', source }, async (work, present) => {
    const { guest, board } = present
    const guest_key = `${guest.id} ${key}`
    const known = await work.tx.first(commentOfKey, { realm: guest.realm, guest_key })
    if (known !== undefined) return showForGuest(known, guest.id)
    await requireRoomForGuest(work.tx, board, guest.id, work.now)
    const author = { type: guest_author, id: guest.id, guest: guest.name, guest_key }
    const row = await createComment(work, board, sent, author)
    work.note({ room: board.id })
    return showForGuest(row, guest.id)
  })
}

/** Changes the text of a comment of the guest. */
export async function changeCommentAsGuest(
  services: CommentServices,
  token: string,
  { id, body }: { readonly id: string; readonly body: string },
  source: Author['source'],
): Promise<CommentForGuests> {
  return await commitAsGuest(services, { token, action: 'board_comments.update', source }, async (work, present) => {
    const comment = await ownComment(work.tx, present, id)
    if (comment.deleted_at !== null) throw unknownComment()
    const max = board_link_limits.board_guest_comment_revisions_max
    if (comment.revision >= max) {
      throw refuse('resource_conflict', { message: `The comment was changed ${max} times. Write another one.` })
    }
    work.note({ room: present.board.id })
    const changed = changeComment(work, comment, textFields(comment, body, work.now))
    return showForGuest(changed, present.guest.id)
  })
}

/**
 * Deletes a comment of the guest; one that is deleted already stays so. A first comment takes its thread along, and is refused
 * (409) once another person has replied.
 */
export async function deleteCommentAsGuest(
  services: CommentServices,
  token: string,
  id: string,
  source: Author['source'],
): Promise<{ readonly id: string; readonly deleted: true }> {
  return await commitAsGuest(services, { token, action: 'board_comments.delete', source }, async (work, present) => {
    const comment = await ownComment(work.tx, present, id)
    const comments = comment.deleted_at === null ? await withThread(work, comment) : []
    if (!comments.every((each) => isOwn(each, present.guest.id))) {
      const message = 'Others have replied in this thread. Ask the people of the board to delete it.'
      throw refuse('resource_conflict', { message })
    }
    if (comments.length > 0) work.note({ room: present.board.id, target: { object: 'board_comment', id } })
    deleteComments(work, comments)
    return { id, deleted: true }
  })
}

interface GuestWrite {
  readonly token: string
  readonly action: string
  readonly source: Author['source']
}

type GuestWork = BoardWork & { note(note: AuditNote): void }

/** Runs a write of a guest who may comment. The link is the actor of its events and of its audit entry. */
async function commitAsGuest<T>(
  services: CommentServices,
  { token, action, source }: GuestWrite,
  write: (work: GuestWork, present: PresentGuest) => Promise<T>,
): Promise<T> {
  const { guest, link } = await requireCommenter(services, token, services.clock.now())
  const { organization, realm, id } = guest
  const realms = [{ realm, mode: link.mode as Mode }]
  const actor = { type: 'board_link', id: link.id } as const
  return await commitSystemChange(services, { organization, realms, action, actor, source }, async (work) => {
    const present = await presentGuest(work.tx, { realm, id }, work.now)
    if (present === null) throw endedLink()
    return await write(work, requireMayComment(present))
  })
}

/** A comment that the guest has written, deleted or not. Refuses an unknown one, and one of another person. */
async function ownComment(reader: Reader, { guest, board }: PresentGuest, id: string): Promise<BoardCommentRow> {
  const comment = await reader.first(commentById, { realm: guest.realm, id })
  if (comment === undefined || comment.board !== board.id) throw unknownComment()
  if (isOwn(comment, guest.id)) return comment
  if (comment.deleted_at !== null) throw unknownComment()
  throw refuse('insufficient_scope', { message: 'Only its author may change or delete a comment.' })
}

function isOwn({ author_type, author_id }: BoardCommentRow, guest: string): boolean {
  return author_type === guest_author && author_id === guest
}

function unknownComment(): Refusal {
  return refuse('resource_not_found', { message: 'No such comment on this board.' })
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

function showForGuest(row: BoardCommentRow, guest_id: string): CommentForGuests {
  const { id, thread, x, y, element, guest } = row
  return {
    ...{ id, thread, position: x === null || y === null ? null : { x, y }, element, guest },
    body: guestText(row.body),
    created: seconds(row.created),
    is_edited: row.edited_at !== null,
    is_resolved: row.resolved_at !== null,
    own: isOwn(row, guest_id) ? row.body : null,
  }
}

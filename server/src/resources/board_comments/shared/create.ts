/** Writes comments on boards, for members and for guests of a link. */
import { refuse } from '../../../api/declare/errors.ts'
import type { BoardCommentRow, BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { storedMentions } from '../../../text/mentions.ts'
import { showsElement } from '../../board_items/shared/shown.ts'
import type { BoardWork } from '../../boards/shared/change.ts'
import { isFirst, showBoardComment } from '../board_comment.ts'
import { boardCommentCreated } from '../events.ts'
import { board_comment_limits } from '../limits.ts'
import { commentsOfThread, countOfBoard } from '../queries.ts'

/** What a request says of a new comment. */
export interface SentComment {
  readonly body: string
  readonly position?: { readonly x: number; readonly y: number }
  readonly element?: string | null
  readonly thread?: string
}

interface Author {
  readonly type: string
  readonly id: string
  /** The name of a guest of a link. */
  readonly guest?: string
  /** Names the comment of a guest, who writes it once. */
  readonly guest_key?: string
}

/** Writes a comment and emits its event. The caller has checked that the author may comment. */
export async function createComment(
  { tx, now, emit }: BoardWork,
  board: BoardRow,
  sent: SentComment,
  author: Author,
): Promise<BoardCommentRow> {
  const thread = await threadOf(tx, board, sent)
  if (sent.element != null) await requireElement(tx, board, sent.element)
  await requireRoomForComment(tx, board)
  const id = newId('bcm', now)
  const row: BoardCommentRow = {
    ...{ realm: board.realm, id, created: now, updated: now, revision: 1, deleted_at: null },
    board: board.id,
    thread: thread ?? id,
    x: sent.position?.x ?? null,
    y: sent.position?.y ?? null,
    element: sent.element ?? null,
    body: sent.body,
    mentions: storedMentions(sent.body),
    author_type: author.type,
    author_id: author.id,
    guest: author.guest ?? null,
    guest_key: author.guest_key ?? null,
    edited_at: null,
    resolved_at: null,
    resolved_by: null,
  }
  tx.insert('board_comments', row)
  emit(boardCommentCreated, showBoardComment(row))
  return row
}

/** The thread that a reply belongs to; null for a first comment. */
async function threadOf(reader: Reader, board: BoardRow, sent: SentComment): Promise<string | null> {
  if (sent.thread === undefined) {
    if (sent.position !== undefined) return null
    const message = 'Send `position`, to begin a thread at a place, or `thread`, to reply in one.'
    throw refuse('invalid_request_body', { param: 'position', message })
  }
  const comments = await reader.all(commentsOfThread, { realm: board.realm, thread: sent.thread })
  if (!comments.some((comment) => isFirst(comment) && comment.board === board.id)) {
    const message = `thread "${sent.thread}" names no thread of this board. Use the id of its first comment.`
    throw refuse('invalid_request_body', { param: 'thread', message })
  }
  if (sent.position !== undefined || sent.element != null) {
    const param = sent.position === undefined ? 'element' : 'position'
    const message = `\`${param}\` cannot be sent with \`thread\`: a reply is at the place of its thread.`
    throw refuse('invalid_request_body', { param, message })
  }
  const { board_thread_comments_max: max } = board_comment_limits
  if (comments.length >= max) {
    throw refuse('resource_conflict', { message: `A thread has at most ${max} comments.` })
  }
  return sent.thread
}

/** Refuses an element that the board does not show. */
export async function requireElement(reader: Reader, board: BoardRow, element: string): Promise<void> {
  if (await showsElement(reader, board, element)) return
  throw refuse('invalid_request_body', { param: 'element', message: `element "${element}" is not on this board.` })
}

async function requireRoomForComment(reader: Reader, board: BoardRow): Promise<void> {
  const { board_comments_max: max } = board_comment_limits
  const found = await reader.first(countOfBoard, { realm: board.realm, board: board.id })
  if (Number(found?.count ?? 0) < max) return
  throw refuse('resource_conflict', {
    message: `A board has at most ${max} comments. Delete threads that are settled.`,
  })
}

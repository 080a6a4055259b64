/**
 * The comment on a board: pinned to a place of the canvas or of an element, or a reply in the thread of such a comment. A
 * thread is resolved as a whole, which its first comment shows.
 */
import Type, { type Static } from 'typebox'
import { actingUser, type Caller } from '../../api/declare/caller.ts'
import { findById, noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Mentions, Nullable, Revision, Seconds, Text } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { BoardCommentRow, BoardRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

const Coordinate = Type.Number({ minimum: -limits.board_coordinate_max, maximum: limits.board_coordinate_max })

export const Place = Type.Object(
  {
    x: described(Coordinate, 'Horizontal coordinate, to the right, in pixels of the canvas.'),
    y: described(Coordinate, 'Vertical coordinate, downwards, in pixels of the canvas.'),
  },
  { additionalProperties: false },
)

export const ElementId = Type.String({ minLength: 1, maxLength: limits.board_element_text_chars_max })

export const BoardComment = Type.Object({
  ...head('board_comment'),
  board: described(Id, 'Board that the comment is on.'),
  thread: described(Id, 'First comment of the thread; of a first comment its own id.'),
  position: described(
    Nullable(Place),
    'Place of the thread: a point of the canvas, with `element` measured from its left top corner. Null for a reply.',
  ),
  element: described(
    Nullable(ElementId),
    'Element that the thread is attached to and moves with, as in `source.element_id` of the items; null for none.',
  ),
  body: described(Text, 'Text of the comment; must contain more than white space.'),
  mentions: described(Mentions, 'Ids of the users and teams that `body` mentions.'),
  author: described(
    Actor,
    'Who wrote the comment: the person, the service user for keys of the organization, or a guest of a link (`board_guest`).',
  ),
  guest: described(
    Nullable(Type.String()),
    'Name that the author has given who came by a link for guests; null for other authors.',
  ),
  edited_at: described(Nullable(Seconds), 'When the text was last changed, in Unix seconds; null if never.'),
  resolved_at: described(
    Nullable(Seconds),
    'When the thread was resolved, in Unix seconds; null if it is open, and for a reply.',
  ),
  resolved_by: described(Nullable(Id), 'User id of the person who resolved the thread; null if it is open.'),
  revision: Revision,
})

/** The text of a comment in a request. */
export const BoardCommentBody = Type.String({ minLength: 1, maxLength: limits.text_chars_max, pattern: '\\S' })

export type BoardComment = Static<typeof BoardComment>

export function showBoardComment(row: BoardCommentRow): BoardComment {
  return {
    id: row.id,
    object: 'board_comment',
    created: seconds(row.created),
    updated: seconds(row.updated),
    board: row.board,
    thread: row.thread,
    position: row.x === null || row.y === null ? null : { x: row.x, y: row.y },
    element: row.element,
    body: row.body,
    mentions: JSON.parse(row.mentions),
    author: { type: row.author_type, id: row.author_id },
    guest: row.guest,
    edited_at: row.edited_at === null ? null : seconds(row.edited_at),
    resolved_at: row.resolved_at === null ? null : seconds(row.resolved_at),
    resolved_by: row.resolved_by,
    revision: row.revision,
  }
}

const boardOf = findById('boards')

export const boardCommentNoun = noun({
  object: 'board_comment',
  prefix: 'bcm',
  table: 'board_comments',
  schema: BoardComment,
  readScope: 'boards:read',
  workspaced: false,
  guests: {
    sees: async ({ realm, board }, { projects }, { reader }) => {
      const row = await reader.first(boardOf, { realm, id: board })
      return row !== undefined && projects.has(row.project ?? '')
    },
  },
  show: showBoardComment,
})

/** A comment is found only below the path of its board (contract/06#nested-ids). */
export function isOnBoard(comment: BoardCommentRow, board: BoardRow): boolean {
  return comment.board === board.id
}

/** Whether the comment begins its thread. */
export function isFirst({ id, thread }: Pick<BoardCommentRow, 'id' | 'thread'>): boolean {
  return id === thread
}

/** The author of what a caller writes. */
export function authorOf(caller: Caller): { readonly type: string; readonly id: string } {
  return { type: caller.owner.type === 'user' ? 'user' : 'service_user', id: actingUser(caller) }
}

export function isAuthor(caller: Caller, { author_type, author_id }: BoardCommentRow): boolean {
  const { type, id } = authorOf(caller)
  return author_type === type && author_id === id
}

/**
 * The board: a drawing that the organization shares, with its name, its members, and the state of its imported snapshot
 * (contract/14#board). DELETE archives it, which can be undone.
 */

import Type, { type Static } from 'typebox'
import type { Tenant } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf, Revision, Seconds, Text, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { literal, query } from '../../db/query.ts'
import type { BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { idPattern } from '../../lib/ids.ts'

const Count = Type.Integer({ minimum: 0 })

/** Snapshots are published when they are imported, so an existing one is always `current`. */
const BoardSnapshot = Type.Object({
  revision: Nullable(
    Type.Integer({
      minimum: 1,
      description:
        'Number of published snapshots so far, as in `snapshot_revision` of the items; null before the first.',
    }),
  ),
  published_at: described(Nullable(Seconds), 'When the snapshot was published, in Unix seconds; null without one.'),
  status: described(
    OneOf('none', 'current', 'stale'),
    '`none` before the first snapshot, `stale` if newer content is known.',
  ),
  pending_changes: Type.Boolean({ description: 'Whether newer content exists that is not published yet.' }),
})

export const Board = Type.Object({
  ...head('board'),
  name: described(Title, 'Name of the board.'),
  description: described(Nullable(Text), 'What the board is for; null if unset.'),
  owner: described(Id, 'User id of the owner.'),
  status: described(OneOf('active', 'archived'), 'An archived board is read-only.'),
  archived_at: described(Nullable(Seconds), 'When the board was archived, in Unix seconds; null if active.'),
  legacy_room_id: described(
    Nullable(Type.String({ minLength: 1, maxLength: limits.legacy_room_id_chars_max })),
    'Room id of the board in the system it was imported from; null if none.',
  ),
  member_count: described(Count, 'Number of members, the owner included.'),
  item_count: described(Count, 'Number of items in the published snapshot.'),
  snapshot: described(BoardSnapshot, 'State of the published snapshot.'),
  project: described(Nullable(Id), 'Project that the board is attached to; null for none.'),
  revision: Revision,
})

export type Board = Static<typeof Board>

export function showBoard(row: BoardRow): Board {
  const published = row.snapshot_published_at
  return {
    id: row.id,
    object: 'board',
    created: seconds(row.created),
    updated: seconds(row.updated),
    name: row.name,
    description: row.description,
    owner: row.owner,
    status: row.status as Board['status'],
    archived_at: row.archived_at === null ? null : seconds(row.archived_at),
    legacy_room_id: row.legacy_room_id,
    member_count: row.member_count,
    item_count: row.item_count,
    snapshot: {
      revision: published === null ? null : row.snapshot_revision,
      published_at: published === null ? null : seconds(published),
      status: published === null ? 'none' : 'current',
      pending_changes: false,
    },
    project: row.project,
    revision: row.revision,
  }
}

const byId = query<BoardRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('boards').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const byRoom = query<BoardRow, { realm: number; room: string }>((db, p) =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('legacy_room_id', '=', p('room'))
    .limit(literal(2)),
)

/** The board of a public id or legacy room id. Refuses a room id that several boards have, archived ones included, with 409. */
async function findBoard(reader: Reader, tenant: Tenant, reference: string): Promise<BoardRow | undefined> {
  const { realm } = tenant
  const found = await reader.first(byId, { realm, id: reference })
  if (found !== undefined) return found
  const boards = await reader.all(byRoom, { realm, room: reference })
  if (boards.length > 1) {
    throw refuse('resource_id_ambiguous', {
      message: 'Several boards have this legacy room id. Use the public id of one.',
    })
  }
  return boards[0]
}

export const boardNoun = noun({
  object: 'board',
  prefix: 'brd',
  table: 'boards',
  schema: Board,
  readScope: 'boards:read',
  guests: { column: 'project', of: 'projects' },
  workspaced: false,
  find: findBoard,
  show: showBoard,
})

/** Refuses writes on an archived board and its members (contract/15#board). */
export function requireActiveBoard(board: BoardRow): void {
  if (board.status === 'archived') throw refuse('resource_conflict', { message: 'The board is archived.' })
}

const public_id = new RegExp(idPattern('brd'))

/** The legacy room id to store; null for an empty text. Refuses a text in the form of a board id. */
export function readRoomId(room: string): string | null {
  if (room === '') return null
  const tooLong = [...room].length > limits.legacy_room_id_chars_max
  if (!tooLong && room.isWellFormed() && !/[\p{Cc}/]/u.test(room) && !public_id.test(room)) return room
  throw refuse('invalid_request_body', {
    param: 'legacy_room_id',
    message:
      `legacy_room_id must have 1 to ${limits.legacy_room_id_chars_max} characters, ` +
      'no control characters or slashes, and not the form of a board id.',
  })
}

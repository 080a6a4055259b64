/**
 * The board: a drawing that the organization shares. What it shows comes from outside as snapshots; here are its name, its
 * members, and how fresh its snapshot is (contract §4.3, decisions §14). Archiving is its deletion, and can be undone.
 */
import Type, { type Static } from 'typebox'
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { noun } from '../../api/noun.ts'
import { head, Id, Nullable, OneOf, Revision, Seconds, Text, Title } from '../../api/shapes.ts'
import { literal, type Query, query } from '../../db/query.ts'
import type { BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

const Count = Type.Integer({ minimum: 0 })

/** A snapshot is published whole as soon as it is imported, so that one which is there is `current`. */
export const BoardSnapshot = Type.Object({
  revision: Nullable(Type.Integer({ minimum: 1, description: 'Rises with every published snapshot; the items name it.' })),
  published_at: Nullable(Seconds),
  status: OneOf('none', 'current', 'stale'),
  pending_changes: Type.Boolean({ description: 'Whether newer content is known that is not published yet.' }),
})

export const Board = Type.Object({
  ...head('board'),
  name: Title,
  description: Nullable(Text),
  owner: Id,
  status: OneOf('active', 'archived'),
  archived_at: Nullable(Seconds),
  legacy_room_id: Nullable(Type.String({ minLength: 1, maxLength: limits.legacy_room_id_chars_max })),
  member_count: Count,
  item_count: Count,
  snapshot: BoardSnapshot,
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
    revision: row.revision,
  }
}

const byId: Query<BoardRow> = query((db, p) =>
  db.selectFrom('boards').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const byRoom: Query<BoardRow> = query((db, p) =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('legacy_room_id', '=', p('room'))
    .limit(literal(2)),
)

/** The board of a public id or legacy room id. A room id of several boards, archived ones too, is refused: 409. */
async function findBoard(reader: Reader, caller: Caller, reference: string): Promise<BoardRow | undefined> {
  const { realm } = caller
  // No engine keeps such an id, and PostgreSQL would not even take it in.
  if (reference.includes('\0')) return undefined
  const found = await reader.first(byId, { realm, id: reference })
  if (found !== undefined) return found
  const boards = await reader.all(byRoom, { realm, room: reference })
  if (boards.length > 1) {
    throw refuse('resource_id_ambiguous', { message: 'Several boards have this legacy room id: use their public ids.' })
  }
  return boards[0]
}

export const boardNoun = noun({
  object: 'board',
  prefix: 'brd',
  table: 'boards',
  schema: Board,
  readScope: 'boards:read',
  workspaced: false,
  find: findBoard,
  show: showBoard,
})

/** An archived board takes no writes, nor do its members (decisions §15). */
export function requireActiveBoard(board: BoardRow): void {
  if (board.status === 'archived') throw refuse('resource_conflict', { message: 'The board is archived.' })
}

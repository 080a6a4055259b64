/**
 * Reads the items of a snapshot. Invariants: all rows of an answer belong to one revision; a superseded revision stays
 * readable for cursors for `board_cursor_ms` (contract/14#board-item).
 */

import { limits } from '../../api/limits.ts'
import { literal, type Placeholder, query, shapedQuery } from '../../db/query.ts'
import type { BoardItemRow, BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

type ItemOfRevision = BoardItemRow & { readonly snapshot_revision: number }

const byId = query<BoardItemRow, { realm: number; board: string; id: string; revision: number }>((db, p) =>
  db
    .selectFrom('board_items')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('id', '=', p('id'))
    .where('since_revision', '<=', p('revision'))
    .where((eb) => eb.or([eb('until_revision', 'is', null), eb('until_revision', '>', p('revision'))])),
)

/** An item of the board's published snapshot. */
export async function findItem(reader: Reader, board: BoardRow, id: string): Promise<ItemOfRevision | undefined> {
  const revision = board.snapshot_revision
  const row = await reader.first(byId, { realm: board.realm, board: board.id, id, revision })
  return row === undefined ? undefined : { ...row, snapshot_revision: revision }
}

/** At most `count` items of a revision after the position `after`, in drawing order. */
export async function readItems(
  reader: Reader,
  board: BoardRow,
  revision: number,
  after: number,
  count: number,
): Promise<ItemOfRevision[]> {
  const page = shapedQuery<BoardItemRow, { realm: number; board: string; after: number; revision: number }>(
    `board items ${count}`,
    (db, p) =>
      db
        .selectFrom('board_items')
        .selectAll()
        .where('realm', '=', p('realm'))
        .where('board', '=', p('board'))
        .where('place', '>', p('after'))
        .where('since_revision', '<=', p('revision'))
        .where((eb) => eb.or([eb('until_revision', 'is', null), eb('until_revision', '>', p('revision'))]))
        .orderBy('place')
        .limit(literal(count)),
  )
  const rows = await reader.all(page, { realm: board.realm, board: board.id, after, revision })
  return rows.map((row) => ({ ...row, snapshot_revision: revision }))
}

const itemOfElement = query((db, p: Placeholder<{ realm: number; board: string; element: string }>) =>
  db
    .selectFrom('board_elements')
    .select('item')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('element', '=', p('element')),
)

/** The items of elements in the board's published snapshot, in the order of the elements. */
export async function itemsOfElements(reader: Reader, board: BoardRow, elements: readonly string[]) {
  const rows: ItemOfRevision[] = []
  for (const element of elements) {
    const found = await reader.first(itemOfElement, { realm: board.realm, board: board.id, element })
    const row = found === undefined ? undefined : await findItem(reader, board, found.item)
    if (row !== undefined) rows.push(row)
  }
  return rows
}

const supersededAt = query((db, p: Placeholder<{ realm: number; board: string; revision: number }>) =>
  db
    .selectFrom('board_snapshots')
    .select('superseded_at')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('revision', '=', p('revision')),
)

/** Whether a cursor of a revision is still valid at `now` (milliseconds). */
export async function isReadable(reader: Reader, board: BoardRow, revision: number, now: number): Promise<boolean> {
  if (revision === board.snapshot_revision) return true
  const row = await reader.first(supersededAt, { realm: board.realm, board: board.id, revision })
  if (row === undefined) return false
  return row.superseded_at === null || now < row.superseded_at + limits.board_cursor_ms
}

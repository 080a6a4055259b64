/**
 * Publishes a snapshot. Invariants: a published revision never changes; only items that differ from the previous revision
 * are written; an element keeps the id of its item in all revisions; unchanged content creates no revision.
 */
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { BoardElementRow, BoardItemRow, BoardRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { linkedTaskIds, toItems } from './excalidraw/items.ts'
import type { Drawing } from './excalidraw.ts'

const elementsOf = query<BoardElementRow, { realm: number; board: string }>((db, p) =>
  db.selectFrom('board_elements').selectAll().where('realm', '=', p('realm')).where('board', '=', p('board')),
)

const currentItems = query<BoardItemRow, { realm: number; board: string }>((db, p) =>
  db
    .selectFrom('board_items')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('until_revision', 'is', null),
)

const liveTasks = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

/** One statement, because a publication may end thousands of items. */
const endItems = query(
  (
    db,
    p: Placeholder<{ until: number | null; now: number | null; realm: number; board: string; ids: string }>,
    dialect,
  ) =>
    db
      .updateTable('board_items')
      .set({ until_revision: p('until'), superseded_at: p('now') })
      .where('realm', '=', p('realm'))
      .where('board', '=', p('board'))
      .where('until_revision', 'is', null)
      .where(isOneOf(dialect, 'id', p('ids'))),
)

const endSnapshot = query((db, p: Placeholder<{ now: number | null; realm: number; board: string }>) =>
  db
    .updateTable('board_snapshots')
    .set({ superseded_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('superseded_at', 'is', null),
)

/** Writes the drawing as the board's next revision. Returns the changed fields of the board; null if nothing changed. */
export async function publish(
  tx: Tx,
  board: BoardRow,
  drawing: Drawing,
  now: number,
): Promise<Partial<BoardRow> | null> {
  const bound = { realm: board.realm, board: board.id }
  const known = new Map((await tx.all(elementsOf, bound)).map((row) => [row.element, row]))
  const added: BoardElementRow[] = []
  const elementRow = (element: string): BoardElementRow => {
    let row = known.get(element)
    if (row === undefined) {
      row = { ...bound, element, item: newId('itm', now), created: now }
      known.set(element, row)
      added.push(row)
    }
    return row
  }
  const revision = board.snapshot_revision + 1
  const tasks = await linkableTasks(tx, board.realm, drawing)
  const items = toItems(drawing, (element) => elementRow(element).item, tasks).map(
    ({ element, asset, content }): BoardItemRow => ({
      ...bound,
      id: elementRow(element).item,
      since_revision: revision,
      until_revision: null,
      superseded_at: null,
      created: elementRow(element).created,
      updated: now,
      place: content.order,
      asset,
      content: JSON.stringify(content),
    }),
  )
  const current = new Map((await tx.all(currentItems, bound)).map((row) => [row.id, row]))
  // The content includes the order, so equal content means an equal item.
  const differing = items.filter((item) => current.get(item.id)?.content !== item.content)
  const kept = new Set(items.map((item) => item.id))
  const removed = [...current.values()].filter((item) => !kept.has(item.id))
  if (board.snapshot_revision > 0 && differing.length === 0 && removed.length === 0) return null
  const ended = [...removed, ...differing].map((item) => item.id)
  tx.write(endItems, { ...bound, ids: JSON.stringify(ended), until: revision, now })
  for (const row of added) tx.insert('board_elements', row)
  for (const item of differing) tx.insert('board_items', item)
  tx.write(endSnapshot, { ...bound, now })
  tx.insert('board_snapshots', { ...bound, revision, published_at: now, superseded_at: null })
  return { item_count: items.length, snapshot_revision: revision, snapshot_published_at: now }
}

/** The live tasks of the realm that the drawing links to. */
async function linkableTasks(tx: Tx, realm: number, drawing: Drawing): Promise<Set<string>> {
  const named = linkedTaskIds(drawing)
  if (named.length === 0) return new Set()
  const found = await tx.all(liveTasks, { realm, ids: JSON.stringify(named) })
  return new Set(found.map(({ id }) => id))
}

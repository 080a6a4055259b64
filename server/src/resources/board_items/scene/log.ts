/**
 * The operation log of a board and the elements that it has been folded into. Invariants: operations of a board have
 * consecutive numbers; an operation is never changed; the folded elements and the operations after them are the whole board.
 */
import { literal, type Placeholder, query } from '../../../db/query.ts'
import type { BoardOperationRow, BoardRow, BoardSceneRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { elementsOfItems } from './element-of-item.ts'
import type { SceneElement } from './merge.ts'
import { requireFramesEnd, requireRoom, Scene } from './scene.ts'

export type BoardKey = { readonly realm: number; readonly board: string }

const sceneOf = query<BoardSceneRow, { realm: number; board: string }>((db, p) =>
  db.selectFrom('board_scenes').selectAll().where('realm', '=', p('realm')).where('board', '=', p('board')),
)

const stateOf = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_scenes')
    .select(['head', 'folded', 'pending_since'])
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board')),
)

const operationsAfter = query<BoardOperationRow, { realm: number; board: string; after: number }>((db, p) =>
  db
    .selectFrom('board_operations')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('sequence', '>', p('after'))
    .orderBy('sequence'),
)

const lastOperation = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_operations')
    .select('author')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .orderBy('sequence', 'desc')
    .limit(literal(1)),
)

const advance = query(
  (db, p: Placeholder<{ realm: number; board: string; head: number; now: number; pending_since: number | null }>) =>
    db
      .updateTable('board_scenes')
      .set({ head: p('head'), changed_at: p('now'), pending_since: p('pending_since') })
      .where('realm', '=', p('realm'))
      .where('board', '=', p('board')),
)

const fold = query(
  (
    db,
    p: Placeholder<{ realm: number; board: string; folded: number; elements: string; pending_since: number | null }>,
  ) =>
    db
      .updateTable('board_scenes')
      .set({ folded: p('folded'), elements: p('elements'), pending_since: p('pending_since') })
      .where('realm', '=', p('realm'))
      .where('board', '=', p('board')),
)

const removeFolded = query((db, p: Placeholder<{ realm: number; board: string; folded: number; before: number }>) =>
  db
    .deleteFrom('board_operations')
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('sequence', '<=', p('folded'))
    .where('created', '<', p('before')),
)

/** An operation as it is sent to clients. */
export interface Operation {
  readonly sequence: number
  readonly author: string
  readonly elements: readonly SceneElement[]
}

export interface LogState {
  readonly head: number
  readonly folded: number
  readonly pending_since: number | null
}

export async function readState(reader: Reader, key: BoardKey): Promise<LogState | undefined> {
  return await reader.first(stateOf, { ...key })
}

/** The operations after `after`; null if some of them are no longer kept, so that the scene must be read again. */
export async function readOperations(reader: Reader, key: BoardKey, after: number): Promise<Operation[] | null> {
  const rows = await reader.all(operationsAfter, { ...key, after })
  if (rows[0] !== undefined && rows[0].sequence !== after + 1) return null
  return rows.map(({ sequence, author, elements }) => ({ sequence, author, elements: JSON.parse(elements) }))
}

/** Who drew last on a board, as far as operations are kept; null if none is kept. */
export async function lastAuthor(reader: Reader, key: BoardKey): Promise<string | null> {
  return (await reader.first(lastOperation, { ...key }))?.author ?? null
}

/** The whole board as of its last operation; undefined if nothing has been drawn since boards can be drawn on. */
export async function readScene(reader: Reader, key: BoardKey): Promise<Scene | undefined> {
  const row = await reader.first(sceneOf, { ...key })
  if (row === undefined) return undefined
  const scene = new Scene(row.folded, JSON.parse(row.elements))
  for (const { sequence, elements } of (await readOperations(reader, key, row.folded)) ?? []) {
    scene.apply(elements)
    scene.sequence = sequence
  }
  return scene
}

/** A board before a change. */
export interface Looked {
  readonly scene: Scene
  /** The elements that are stored with the first change, because the board has not been drawn on yet. */
  readonly first: readonly SceneElement[] | null
  readonly state: { pending_since: number | null }
}

/** The board as of its last operation, without writing anything; made from its published items at the first time. */
export async function lookAtScene(reader: Reader, board: BoardRow, now: number): Promise<Looked> {
  const key = { realm: board.realm, board: board.id }
  const found = await readScene(reader, key)
  const state = { pending_since: (await readState(reader, key))?.pending_since ?? null }
  if (found !== undefined) return { scene: found, first: null, state }
  const first = board.snapshot_revision === 0 ? [] : await elementsOfItems(reader, board, now)
  return { scene: new Scene(0, first), first, state }
}

/** Appends a change to a board that was looked at in the same transaction. Refuses before it writes. */
export function appendRequest(tx: Tx, board: BoardRow, { scene, first, state }: Looked, change: Change, now: number) {
  const key = { realm: board.realm, board: board.id }
  if (!change.isReplacement) requireRoom(scene, change.elements)
  requireFramesEnd(scene, change.elements, 'items')
  if (first !== null) insertScene(tx, key, first, now)
  return appendChange(tx, key, scene, state, { ...change, isReplacement: true }, now)
}

/** The board, which is stored if it has not been drawn on yet. */
export async function openScene(tx: Tx, board: BoardRow, now: number): Promise<Scene> {
  const { scene, first } = await lookAtScene(tx, board, now)
  if (first !== null) insertScene(tx, { realm: board.realm, board: board.id }, first, now)
  return scene
}

function insertScene(tx: Tx, key: BoardKey, elements: readonly SceneElement[], now: number): void {
  const row = { ...key, head: 0, changed_at: now, pending_since: null, folded: 0, elements: JSON.stringify(elements) }
  tx.insert('board_scenes', row)
}

export interface Change {
  readonly author: string
  readonly elements: readonly SceneElement[]
  /** An import: what it deletes does not count towards the limits. */
  readonly isReplacement?: true
}

/**
 * Appends what wins of a change as the next operation. `scene` is the board as of its head, and contains the operation
 * afterwards. Returns null if nothing won. Refuses a change over a limit before it writes.
 */
export function appendChange(
  tx: Tx,
  key: BoardKey,
  scene: Scene,
  state: { pending_since: number | null },
  change: Change,
  now: number,
): Operation | null {
  if (!change.isReplacement) requireRoom(scene, change.elements)
  requireFramesEnd(scene, change.elements, 'elements')
  const elements = scene.apply(change.elements)
  if (elements.length === 0) return null
  scene.sequence++
  state.pending_since ??= now
  const { sequence } = scene
  tx.insert('board_operations', {
    ...key,
    sequence,
    created: now,
    author: change.author,
    elements: JSON.stringify(elements),
  })
  tx.write(advance, { ...key, head: sequence, now, pending_since: state.pending_since })
  return { sequence, author: change.author, elements }
}

/** Stores the elements of `scene` as a whole; nothing is pending afterwards. */
export function foldScene(
  tx: Tx,
  key: BoardKey,
  { sequence }: Scene,
  elements: readonly SceneElement[],
  before: number,
): void {
  tx.write(fold, { ...key, folded: sequence, elements: JSON.stringify(elements), pending_since: null })
  tx.write(removeFolded, { ...key, folded: sequence, before })
}

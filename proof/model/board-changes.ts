/** The operator's work on boards: drawings, legacy rooms, restoring. */
import { importBoard } from '../../server/src/resources/board_items/import.ts'
import { restoreBoard, setBoard } from '../../server/src/resources/boards/write.ts'
import { type Change, commit, type DrawChange, one, place } from './change.ts'
import type { Model } from './model.ts'
import type { Expected, Fields } from './names.ts'
import type { Thing } from './state.ts'

/** A drawing with this many boxes. */
function drawing(boxes: number): Buffer {
  const elements = Array.from({ length: boxes }, (_, i) => ({
    id: `box${i}`,
    type: 'rectangle',
    x: i * 10,
    y: 0,
    width: 8,
    height: 8,
    angle: 0,
  }))
  return Buffer.from(JSON.stringify({ type: 'excalidraw', version: 2, elements }))
}

export const drawn: DrawChange = (n, model) => {
  const board = one(model, 'board', n, ({ shown }) => shown.status === 'active' && shown.item_count === 0)
  const boxes = 1 + n.below(5)
  const realm = model.realm('live')
  const snapshot = { revision: 1, published_at: model.now, status: 'current', pending_changes: false }
  for (let i = 0; i < boxes; i++)
    model.add(realm, 'board_item', { ...model.head('board_item'), board: board.id, ...itemOf(i) })
  model.change(board, { item_count: boxes, snapshot }, 'whiteboard.board.snapshot_published')
  commit(model, realm, 'boards.import', board, { room: board.id })
  return {
    what: `a drawing of ${boxes} boxes`,
    expected: board.shown as Expected,
    apply: (server) =>
      importBoard(server.world.services, {
        ...place(server),
        board: server.names.translate(board.id),
        file: drawing(boxes),
      }),
  }
}

function itemOf(i: number): Fields {
  const style = {
    stroke_color: null,
    background_color: null,
    fill_style: null,
    stroke_width: null,
    stroke_style: null,
    roughness: null,
    opacity: null,
    rounded: false,
  }
  return {
    snapshot_revision: 1,
    type: 'shape',
    position: { x: i * 10 + 4, y: 4, relative_to: 'canvas' },
    geometry: { width: 8, height: 8, rotation: 0 },
    order: i,
    style,
    text: null,
    data: { shape: 'rectangle', link: null },
    parent: null,
    groups: [],
    connector: null,
    linked_task: null,
    locked: false,
    source: { format: 'excalidraw', element_id: `box${i}`, element_type: 'rectangle' },
  }
}

export const room: DrawChange = (n, model) => {
  const board = one(model, 'board', n, ({ shown }) => shown.status === 'active')
  return named(model, board.id, n.pick(['room-1', 'room-1', 'room-2']))
}

/** Gives a board a legacy room id. */
export function named(model: Model, id: string, legacy_room_id: string): Change {
  const realm = model.realm('live')
  const board = realm.things.find((thing) => thing.id === id) as Thing
  const isChange = model.change(board, { legacy_room_id }, 'whiteboard.board.updated')
  if (isChange) commit(model, realm, 'boards.update', board, { room: board.id })
  return {
    what: `the board ${board.id} was ${legacy_room_id}`,
    expected: board.shown as Expected,
    apply: ({ world, names }) => setBoard(world.services, names.translate(board.id), { legacy_room_id }),
  }
}

export const restore: DrawChange = (n, model) => {
  const board = one(model, 'board', n)
  const realm = model.realm('live')
  const isGone = realm.things.some(({ id, isDeleted }) => id === board.shown.project && isDeleted)
  const fields = { status: 'active', archived_at: null, ...(isGone ? { project: null } : {}) }
  const isChange = model.change(board, fields, 'whiteboard.board.restored')
  if (isChange) commit(model, realm, 'boards.restore', board, { room: board.id })
  return {
    what: `the board ${board.id} is restored`,
    expected: board.shown as Expected,
    apply: ({ world, names }) => restoreBoard(world.services, names.translate(board.id)),
  }
}

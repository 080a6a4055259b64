/**
 * The board item: one thing on a board as a published snapshot has it, read-only (contract §4.3, decisions §14). Its id
 * stands for the same element of the source through all snapshots; what it was in a published one never changes.
 */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/noun.ts'
import { Flag, head, Id, Nullable, OneOf, Revision } from '../../api/shapes.ts'
import type { BoardItemRow, BoardRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { findItem } from './queries.ts'

export const item_types = [
  ...['sticky_note', 'shape', 'text', 'connector', 'line', 'freehand', 'frame', 'image', 'card', 'embed', 'unknown'],
] as const

const Point = { x: Type.Number(), y: Type.Number() }
const Length = Type.Number({ minimum: 0 })

const End = Type.Object(
  { item: Nullable(Id), ...Point, relative_to: OneOf('item', 'canvas') },
  {
    description:
      'On an item: the share of its width and height, 0 to 1, before it is turned. Else a point of the canvas.',
  },
)

/** What a snapshot says of an item. */
const content = {
  type: Type.String({ description: item_types.join(', ') }),
  position: Type.Object({ ...Point, relative_to: OneOf('canvas', 'parent_top_left') }, { description: 'The centre.' }),
  geometry: Type.Object({
    width: Length,
    height: Length,
    rotation: Type.Number({ minimum: 0, exclusiveMaximum: 360, description: 'Degrees, clockwise, about the centre.' }),
  }),
  order: Type.Integer({ minimum: 0, description: 'Drawing order: a higher one lies on top.' }),
  style: Type.Record(Type.String(), Type.Unknown()),
  text: Nullable(Type.String()),
  data: Type.Record(Type.String(), Type.Unknown()),
  parent: Nullable(Id),
  groups: Type.Array(Type.String(), { description: 'Innermost first.' }),
  connector: Nullable(
    Type.Object({
      start: End,
      end: End,
      path: Type.Array(Type.Object(Point), { description: 'Points of the canvas.' }),
    }),
  ),
  linked_task: Nullable(Id),
  locked: Flag,
  source: Type.Object({ format: Type.String(), element_id: Type.String(), element_type: Type.String() }),
}

export const BoardItem = Type.Object({
  ...head('board_item'),
  board: Id,
  snapshot_revision: Revision,
  ...content,
})

const BoardItemContent = Type.Object(content)

export type BoardItem = Static<typeof BoardItem>
export type BoardItemContent = Static<typeof BoardItemContent>
export type ConnectorEnd = Static<typeof End>

/** A row as a snapshot shows it. */
export type ItemOfSnapshot = BoardItemRow & { readonly snapshot_revision: number }

export function showBoardItem(row: ItemOfSnapshot): BoardItem {
  return {
    id: row.id,
    object: 'board_item',
    created: seconds(row.created),
    updated: seconds(row.updated),
    board: row.board,
    snapshot_revision: row.snapshot_revision,
    ...(JSON.parse(row.content) as BoardItemContent),
  }
}

/** Found below the path of its board, as the currently published snapshot has it. */
export const boardItemNoun: Noun<ItemOfSnapshot, BoardItem> = {
  object: 'board_item',
  prefix: 'itm',
  table: 'board_items',
  schema: BoardItem,
  readScope: 'boards:read',
  workspaced: false,
  forgets: true,
  find: (reader, _caller, reference, parent) =>
    parent === undefined ? undefined : findItem(reader, parent as BoardRow, reference),
  show: showBoardItem,
}

/**
 * The board item: an object on a board in a published snapshot, read-only (contract/14#board-item). Its id names the same
 * element of the source in all snapshots. Its content in a published snapshot never changes.
 */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/declare/noun.ts'
import { described, Flag, head, Id, Nullable, OneOf, Revision } from '../../api/declare/shapes.ts'
import type { BoardItemRow, BoardRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { findItem } from './queries.ts'

const item_types = [
  ...['sticky_note', 'shape', 'text', 'connector', 'line', 'freehand', 'frame', 'image', 'card', 'embed', 'unknown'],
] as const

const Point = {
  x: Type.Number({
    description: 'Horizontal coordinate, to the right; unit: pixels of the canvas, or a share of an item.',
  }),
  y: Type.Number({ description: 'Vertical coordinate, downwards; unit: pixels of the canvas, or a share of an item.' }),
}
const Length = Type.Number({ minimum: 0 })

const End = Type.Object(
  {
    item: described(Nullable(Id), 'Item that the end is attached to; null for a free end.'),
    ...Point,
    relative_to: described(OneOf('item', 'canvas'), 'What the coordinates refer to.'),
  },
  {
    description:
      'End of the connector. On an item: fractions of its width and height, 0 to 1, before rotation; otherwise a point of the canvas.',
  },
)

/** An item's content in a snapshot. */
const content = {
  type: Type.String({ description: `Kind of item: ${item_types.join(', ')}.` }),
  position: Type.Object(
    { ...Point, relative_to: described(OneOf('canvas', 'parent_top_left'), 'What the coordinates refer to.') },
    { description: 'Position of the centre of the item.' },
  ),
  geometry: described(
    Type.Object({
      width: described(Length, 'Width in pixels of the canvas.'),
      height: described(Length, 'Height in pixels of the canvas.'),
      rotation: Type.Number({
        minimum: 0,
        exclusiveMaximum: 360,
        description: 'Rotation in degrees, clockwise, around the centre.',
      }),
    }),
    'Size and rotation.',
  ),
  order: Type.Integer({ minimum: 0, description: 'Drawing order; a higher one is on top.' }),
  style: described(Type.Record(Type.String(), Type.Unknown()), 'Colours, strokes and fonts as in the source document.'),
  text: described(Nullable(Type.String()), 'Text of the item; null if it has none.'),
  data: described(
    Type.Record(Type.String(), Type.Unknown()),
    'Fields of the source element that have no field of their own.',
  ),
  parent: described(Nullable(Id), 'Frame that contains the item; null if none does.'),
  groups: Type.Array(Type.String(), { description: 'Groups that contain the item, innermost first.' }),
  connector: described(
    Nullable(
      Type.Object({
        start: End,
        end: End,
        path: Type.Array(Type.Object(Point), { description: 'Points of the line on the canvas, in order.' }),
      }),
    ),
    'Ends and path of a connector; null for other items.',
  ),
  linked_task: described(Nullable(Id), 'Task that the item links to; null if none.'),
  locked: described(Flag, 'Whether the source document locks the item.'),
  source: described(
    Type.Object({
      format: described(Type.String(), 'Format of the source document, such as `excalidraw`.'),
      element_id: described(Type.String(), 'Id of the element in the source document.'),
      element_type: described(Type.String(), 'Type of the element in the source document.'),
    }),
    'Element of the source document.',
  ),
}

export const BoardItem = Type.Object({
  ...head('board_item'),
  board: described(Id, 'Board that the item is on.'),
  snapshot_revision: described(Revision, 'Revision of the snapshot that the item belongs to.'),
  ...content,
})

const BoardItemContent = Type.Object(content)

export type BoardItem = Static<typeof BoardItem>
export type BoardItemContent = Static<typeof BoardItemContent>
export type ConnectorEnd = Static<typeof End>

/** A row with the revision of the snapshot that shows it. */
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

/** Found only below the path of its board, in the published snapshot. */
export const boardItemNoun: Noun<ItemOfSnapshot, BoardItem> = {
  object: 'board_item',
  prefix: 'itm',
  table: 'board_items',
  schema: BoardItem,
  readScope: 'boards:read',
  workspaced: false,
  forgets: true,
  // Found only below its board, which has a rule.
  guests: { sees: () => true },
  find: (reader, _caller, reference, parent) =>
    parent === undefined ? undefined : findItem(reader, parent as BoardRow, reference),
  show: showBoardItem,
}

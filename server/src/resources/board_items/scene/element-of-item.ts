/**
 * Elements made from items: for boards that were imported before people could draw on them, and for items that a request
 * creates. An item with a text is a shape with a text bound to it, as the editor makes it.
 */
import { generateKeyBetween } from 'fractional-indexing'
import { query } from '../../../db/query.ts'
import type { BoardItemRow, BoardRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import type { JsonObject, JsonValue } from '../../../lib/strict-json.ts'
import type { BoardItemContent } from '../board_item.ts'
import { newNonce } from './element.ts'
import type { SceneElement } from './merge.ts'

const currentItems = query<BoardItemRow, { realm: number; board: string }>((db, p) =>
  db
    .selectFrom('board_items')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('until_revision', 'is', null)
    .orderBy('place'),
)

/** The elements of a board's published items. Images are left out: the names of their files are no longer known. */
export async function elementsOfItems(reader: Reader, board: BoardRow, now: number): Promise<SceneElement[]> {
  const rows = await reader.all(currentItems, { realm: board.realm, board: board.id })
  const items = new Map(rows.map((row) => [row.id, JSON.parse(row.content) as BoardItemContent]))
  let index: string | null = null
  return [...items.values()].flatMap((item) =>
    elementsOfItem(toDrawn(item, items), now).map((element) => {
      index = generateKeyBetween(index, null)
      return { ...element, index }
    }),
  )
}

/** An item as it is drawn: with places on the canvas, and with ids of elements. */
export interface DrawnItem {
  readonly element: string
  /** The type of the element. */
  readonly type: string
  /** Of the corner at the top left, before rotation. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** In degrees. */
  readonly rotation: number
  readonly text: string | null
  readonly style: Readonly<Record<string, unknown>>
  readonly link: string | null
  readonly frame: string | null
  readonly groups: readonly string[]
  readonly locked: boolean
  /** Points of a line or connector, relative to `x` and `y`. */
  readonly points: readonly (readonly [number, number])[]
  readonly start: string | null
  readonly end: string | null
}

function toDrawn(item: BoardItemContent, items: ReadonlyMap<string, BoardItemContent>): DrawnItem {
  const { position, geometry, connector, data } = item
  const frame = item.parent === null ? undefined : items.get(item.parent)
  const corner = position.relative_to === 'canvas' || frame === undefined ? { x: 0, y: 0 } : cornerOf(frame)
  const left = corner.x + position.x - geometry.width / 2
  const top = corner.y + position.y - geometry.height / 2
  const path = connector?.path ?? (data.points as { x: number; y: number }[] | undefined) ?? []
  const from = connector === null ? { x: left, y: top } : (path[0] ?? { x: left, y: top })
  const points = path.map(({ x, y }): [number, number] => (connector === null ? [x, y] : [x - from.x, y - from.y]))
  const elementOf = (id: string | null | undefined) => (id == null ? null : (items.get(id)?.source.element_id ?? null))
  return {
    element: item.source.element_id,
    type: item.source.element_type,
    ...from,
    width: geometry.width,
    height: geometry.height,
    rotation: connector === null ? geometry.rotation : 0,
    text: item.text,
    style: item.style,
    link: (data.link as string | null | undefined) ?? (item.linked_task === null ? null : taskPath(item.linked_task)),
    frame: elementOf(item.parent),
    groups: item.groups,
    locked: item.locked,
    points,
    start: elementOf(connector?.start.item),
    end: elementOf(connector?.end.item),
  }
}

function cornerOf({ position, geometry }: BoardItemContent): { x: number; y: number } {
  return { x: position.x - geometry.width / 2, y: position.y - geometry.height / 2 }
}

/** The page of a task, as a link of an element. */
export function taskPath(task: string): string {
  return `/work/tasks/${task}`
}

const drawn_types = new Set(['arrow', 'line', 'freedraw'])
const boxes = new Set(['rectangle', 'ellipse', 'diamond'])

/** The element of an item, and that of its text if it is bound to it. Both lack their index. */
export function elementsOfItem(item: DrawnItem, now: number): SceneElement[] {
  const label = item.text !== null && (boxes.has(item.type) || item.type === 'arrow') ? labelId(item.element) : null
  const main = { ...common(item, now), ...specific(item) }
  const bound = label === null ? [] : [{ type: 'text', id: label }]
  const elements: JsonObject[] = [{ ...main, boundElements: bound }]
  if (label !== null) elements.push(labelOf(item, label, now))
  // JSON of the form that the scene reads, without the index that its caller gives.
  return elements as SceneElement[]
}

export function labelId(element: string): string {
  return `${element.slice(0, 190)}-text`
}

function common(item: DrawnItem, now: number): JsonObject {
  const { style } = item
  return {
    id: item.element,
    type: item.type,
    x: item.x,
    y: item.y,
    width: item.width,
    height: item.height,
    angle: (item.rotation * Math.PI) / 180,
    strokeColor: word(style.stroke_color, '#1e1e1e'),
    backgroundColor: word(style.background_color, 'transparent'),
    fillStyle: word(style.fill_style, 'solid'),
    strokeWidth: figure(style.stroke_width, 2),
    strokeStyle: word(style.stroke_style, 'solid'),
    roughness: figure(style.roughness, 1),
    opacity: figure(style.opacity, 100),
    groupIds: [...item.groups],
    frameId: item.frame,
    roundness: style.rounded === true ? { type: drawn_types.has(item.type) ? 2 : 3 } : null,
    seed: newNonce(),
    version: 1,
    versionNonce: newNonce(),
    isDeleted: false,
    updated: now,
    link: item.link,
    locked: item.locked,
  }
}

function specific(item: DrawnItem): JsonObject {
  const { style } = item
  if (item.type === 'text') return { ...textFields(item, item.text ?? ''), containerId: null }
  if (item.type === 'frame') return { name: item.text }
  if (item.type === 'freedraw') return { points: points(item), pressures: [], simulatePressure: true }
  if (!drawn_types.has(item.type)) return {}
  return {
    points: points(item),
    startBinding: binding(item.start),
    endBinding: binding(item.end),
    lastCommittedPoint: null,
    startArrowhead: word(style.start_arrowhead, null),
    endArrowhead: word(style.end_arrowhead, item.type === 'arrow' ? 'arrow' : null),
    ...(item.type === 'arrow' ? { elbowed: false } : { polygon: false }),
  }
}

function points(item: DrawnItem): JsonValue {
  return item.points.map(([x, y]) => [x, y])
}

function binding(element: string | null): JsonValue {
  return element === null ? null : { elementId: element, focus: 0, gap: 4 }
}

/** The editor lays the text out again when it is first changed; until then it stands in the middle of its shape. */
function labelOf(item: DrawnItem, id: string, now: number): JsonObject {
  const text = item.text ?? ''
  const size = figure(item.style.font_size, default_font_size)
  const lines = text.split('\n')
  const height = lines.length * size * line_height
  const width = Math.min(Math.max(1, item.width - 10), longest(lines) * size * 0.55)
  const middle = item.type === 'arrow' ? middleOf(item) : { x: item.x + item.width / 2, y: item.y + item.height / 2 }
  return {
    ...common({ ...item, element: id, type: 'text', link: null, text: null }, now),
    ...textFields(item, text),
    strokeColor: word(item.style.text_color, '#1e1e1e'),
    backgroundColor: 'transparent',
    x: middle.x - width / 2,
    y: middle.y - height / 2,
    width,
    height,
    textAlign: word(item.style.text_align, 'center'),
    verticalAlign: word(item.style.vertical_align, 'middle'),
    containerId: item.element,
    roundness: null,
    boundElements: [],
  }
}

function middleOf(item: DrawnItem): { x: number; y: number } {
  const [x, y] = item.points[Math.floor(item.points.length / 2)] ?? [0, 0]
  return item.points.length === 2 ? { x: item.x + x / 2, y: item.y + y / 2 } : { x: item.x + x, y: item.y + y }
}

const default_font_size = 20
const line_height = 1.25

function textFields(item: DrawnItem, text: string): JsonObject {
  const { style } = item
  return {
    text,
    originalText: text,
    fontSize: figure(style.font_size, default_font_size),
    fontFamily: figure(style.font_family, 5),
    textAlign: word(style.text_align, 'left'),
    verticalAlign: word(style.vertical_align, 'top'),
    autoResize: true,
    lineHeight: line_height,
    ...(typeof style.text_color === 'string' ? { strokeColor: style.text_color } : {}),
  }
}

function longest(lines: readonly string[]): number {
  return Math.max(1, ...lines.map((line) => line.length))
}

function word<T extends string | null>(value: unknown, otherwise: T): string | T {
  return typeof value === 'string' ? value : otherwise
}

function figure(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

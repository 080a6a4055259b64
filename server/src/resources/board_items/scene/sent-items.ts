/** Items that a request sends, as changes of elements: merged with what the board has, and connected as the editor does it. */

import { generateKeyBetween } from 'fractional-indexing'
import Type, { type Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { described, Nullable, OneOf } from '../../../api/declare/shapes.ts'
import { limits } from '../../../api/limits.ts'
import { newId } from '../../../lib/ids.ts'
import type { JsonObject } from '../../../lib/strict-json.ts'
import { changedElement, readElement } from './element.ts'
import { type DrawnItem, elementsOfItem, labelId, taskPath } from './element-of-item.ts'
import { type Link, layOut } from './layout.ts'
import { compareElements, type SceneElement } from './merge.ts'
import type { Scene } from './scene.ts'

const Coordinate = Type.Number({ minimum: -limits.board_coordinate_max, maximum: limits.board_coordinate_max })
const Length = Type.Number({ minimum: 0, maximum: limits.board_coordinate_max })
const ElementId = Type.String({ minLength: 1, maxLength: 180 })
const Word = Type.String({ minLength: 1, maxLength: limits.board_element_text_chars_max })

const End = Type.Object(
  {
    element_id: described(
      Type.Optional(ElementId),
      'Element that the end holds on to; of this request or of the board.',
    ),
    x: described(
      Type.Optional(Coordinate),
      'Horizontal coordinate of a free end, to the right; unit: pixels of the canvas.',
    ),
    y: described(
      Type.Optional(Coordinate),
      'Vertical coordinate of a free end, downwards; unit: pixels of the canvas.',
    ),
  },
  { additionalProperties: false, description: 'An element, or a point of the canvas.' },
)

export const SentItem = Type.Object(
  {
    source: described(
      Type.Optional(
        Type.Object(
          { element_id: described(ElementId, 'Id of the element in the drawing of the board.') },
          { additionalProperties: false },
        ),
      ),
      'Id of the element. One that the board has is changed; without an id a new element is made.',
    ),
    type: described(
      OneOf('sticky_note', 'shape', 'text', 'connector', 'line', 'frame', 'card'),
      'Kind of item. A `card` shows its `linked_task`.',
    ),
    shape: described(Type.Optional(OneOf('rectangle', 'ellipse', 'diamond')), 'Outline of a `shape`.'),
    position: described(
      Type.Optional(
        Type.Object(
          {
            x: described(Coordinate, 'Horizontal coordinate, to the right; unit: pixels of the canvas.'),
            y: described(Coordinate, 'Vertical coordinate, downwards; unit: pixels of the canvas.'),
          },
          { additionalProperties: false },
        ),
      ),
      'Centre of the item on the canvas. A new item without it is placed below the drawing: what connectors of the request ' +
        'connect, in columns in their direction, other items in rows.',
    ),
    geometry: described(
      Type.Optional(
        Type.Object(
          {
            width: described(Length, 'Width in pixels of the canvas.'),
            height: described(Length, 'Height in pixels of the canvas.'),
            rotation: described(
              Type.Optional(Type.Number({ minimum: 0, exclusiveMaximum: 360 })),
              'Rotation in degrees, clockwise, around the centre.',
            ),
          },
          { additionalProperties: false },
        ),
      ),
      'Size, and rotation in degrees.',
    ),
    text: described(
      Type.Optional(Nullable(Type.String({ maxLength: 10_000 }))),
      'Text of the item, or name of a frame.',
    ),
    style: described(
      Type.Optional(
        Type.Object(
          {
            stroke_color: described(Type.Optional(Word), 'Colour of the outline or line, as in CSS.'),
            background_color: described(
              Type.Optional(Word),
              'Colour of the inside, as in CSS; `transparent` for none.',
            ),
            fill_style: described(
              Type.Optional(OneOf('solid', 'hachure', 'cross-hatch', 'zigzag')),
              'How the inside is filled.',
            ),
            stroke_width: described(
              Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
              'Width of the outline or line in pixels of the canvas.',
            ),
            stroke_style: described(
              Type.Optional(OneOf('solid', 'dashed', 'dotted')),
              'How the outline or line is drawn.',
            ),
            roughness: described(
              Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
              'How uneven lines look: 0 is straight, 2 is rough.',
            ),
            opacity: described(
              Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
              'Opacity in percent; 100 is opaque.',
            ),
            rounded: described(
              Type.Optional(Type.Boolean()),
              'Whether the corners of a shape, or the bends of a line, are round.',
            ),
            text_color: described(Type.Optional(Word), 'Colour of the text, as in CSS.'),
            font_size: described(
              Type.Optional(Type.Number({ minimum: 1, maximum: 1000 })),
              'Size of the text in pixels of the canvas.',
            ),
            text_align: described(
              Type.Optional(OneOf('left', 'center', 'right')),
              'Where the lines of the text begin or end.',
            ),
            start_arrowhead: described(
              Type.Optional(Nullable(Word)),
              'Arrowhead at the start, such as `arrow`; null for none.',
            ),
            end_arrowhead: described(
              Type.Optional(Nullable(Word)),
              'Arrowhead at the end, such as `arrow`; null for none.',
            ),
          },
          { additionalProperties: false },
        ),
      ),
      'Colours, strokes and fonts, under the names of board items.',
    ),
    frame: described(Type.Optional(Nullable(ElementId)), 'Element of the frame that contains the item.'),
    connector: described(
      Type.Optional(Type.Object({ start: End, end: End }, { additionalProperties: false })),
      'Ends of a `connector` or `line`.',
    ),
    linked_task: described(Type.Optional(Nullable(Word)), 'Task by its id, whose page the item links to.'),
    locked: described(
      Type.Optional(Type.Boolean()),
      'Whether people can neither select nor move the item while it is locked.',
    ),
  },
  { additionalProperties: false },
)

export type SentItem = Static<typeof SentItem>

const element_types: Readonly<Record<string, string>> = {
  sticky_note: 'rectangle',
  card: 'rectangle',
  text: 'text',
  connector: 'arrow',
  line: 'line',
  frame: 'frame',
}

const sizes: Readonly<Record<string, readonly [number, number]>> = {
  sticky_note: [160, 160],
  card: [220, 96],
  text: [200, 25],
  frame: [800, 600],
}

/** The elements that a request changes, and the id of the element of each item. */
export function elementsOfRequest(
  scene: Scene,
  items: readonly SentItem[],
  now: number,
): { readonly ids: readonly string[]; readonly elements: readonly SceneElement[] } {
  const changed = new Map<string, SceneElement>()
  const current = (id: string) => changed.get(id) ?? scene.get(id)
  let last = scene.elements().at(-1)?.index ?? null
  const ids = items.map((item) => item.source?.element_id ?? newId('el', now))
  const repeated = ids.findIndex((id, i) => ids.indexOf(id) !== i)
  if (repeated >= 0) {
    throw refuse('invalid_request_body', {
      param: `items[${repeated}].source.element_id`,
      message: `Two items have the element_id ${ids[repeated]}. Send each once.`,
    })
  }
  const put = (element: SceneElement) => {
    const known = current(element.id)
    if (known === undefined) last = generateKeyBetween(last, null)
    changed.set(
      element.id,
      known === undefined ? { ...element, index: last as string } : over(known, element, scene, now),
    )
  }
  // Connectors come last, because they need the places of what they connect.
  const order = items.map((_, i) => i).sort((a, b) => Number(isLine(items[a])) - Number(isLine(items[b])) || a - b)
  const places = placesOf(scene, items, ids)
  for (const i of order) {
    const sent = items[i] as SentItem
    const place = places.get(ids[i] as string)
    const item = place === undefined ? sent : { ...sent, position: place }
    const drawn = drawnOf(item, ids[i] as string, current, `items[${i}]`)
    for (const element of elementsOfItem(drawn, now)) put(element)
    for (const end of [drawn.start, drawn.end]) hold(end, drawn.element, current, scene, changed, now)
  }
  const elements = [...changed.values()].sort(compareElements)
  for (const [i, element] of elements.entries()) readElement(element, `elements[${i}]`)
  return { ids, elements }
}

/** Places for new items without one, below what the board shows. */
function placesOf(scene: Scene, items: readonly SentItem[], ids: readonly string[]): ReturnType<typeof layOut> {
  const unplaced = items.flatMap((item, i) => {
    const id = ids[i] as string
    if (item.position !== undefined || isLine(item) || scene.get(id) !== undefined) return []
    const [width, height] = sizeOf(item, undefined)
    return [{ id, width, height }]
  })
  if (unplaced.length === 0) return new Map()
  const links = items.flatMap(({ connector }): Link[] => {
    const [from, to] = [connector?.start.element_id, connector?.end.element_id]
    return from === undefined || to === undefined ? [] : [[from, to]]
  })
  return layOut(unplaced, links, cornerBelow(scene))
}

const layout_gap = 80

/** The left end below everything that the board shows. */
function cornerBelow(scene: Scene): Place {
  const shown = scene.shownElements()
  if (shown.length === 0) return { x: 0, y: 0 }
  const edge = (element: SceneElement, at: 'x' | 'y', size: 'width' | 'height' | null) =>
    (figure(element[at]) ?? 0) + (size === null ? 0 : (figure(element[size]) ?? 0))
  return {
    x: shown.reduce((left, element) => Math.min(left, edge(element, 'x', null)), Infinity),
    y: shown.reduce((bottom, element) => Math.max(bottom, edge(element, 'y', 'height')), -Infinity) + layout_gap,
  }
}

function sizeOf({ type, geometry }: SentItem, known: SceneElement | undefined): [number, number] {
  const [width, height] = sizes[type] ?? [160, 80]
  return [geometry?.width ?? figure(known?.width) ?? width, geometry?.height ?? figure(known?.height) ?? height]
}

function isLine(item: SentItem | undefined): boolean {
  return item?.type === 'connector' || item?.type === 'line'
}

/** The next version of an element, which keeps what the request does not say. */
function over(known: SceneElement, made: SceneElement, scene: Scene, now: number): SceneElement {
  const { index, seed, version: _, versionNonce: __, ...fields } = made
  const bound = [...boundOf(known), ...boundOf(made)]
  const boundElements = [...new Map(bound.map((each) => [each.id, each])).values()]
  const next = changedElement(scene.get(known.id) ?? known, { ...known, ...fields, boundElements }, now)
  return { ...next, seed: known.seed ?? seed ?? 1, index: known.index ?? index, isDeleted: false }
}

function boundOf({ boundElements }: SceneElement): { id: string; type: string }[] {
  return Array.isArray(boundElements) ? (boundElements as { id: string; type: string }[]) : []
}

/** An element knows the connectors that hold on to it, so that they follow when it is moved. */
function hold(
  end: string | null,
  connector: string,
  current: (id: string) => SceneElement | undefined,
  scene: Scene,
  changed: Map<string, SceneElement>,
  now: number,
): void {
  const element = end === null ? undefined : current(end)
  if (element === undefined || boundOf(element).some(({ id }) => id === connector)) return
  const boundElements = [...boundOf(element), { id: connector, type: 'arrow' }]
  const next = changedElement(scene.get(element.id) ?? element, { ...element, boundElements }, now)
  changed.set(element.id, scene.get(element.id) === undefined ? { ...element, boundElements } : next)
}

type Current = (id: string) => SceneElement | undefined

function drawnOf(item: SentItem, element: string, current: Current, path: string): DrawnItem {
  const known = current(element)
  const type = item.type === 'shape' ? (item.shape ?? typeOfKnown(known)) : (element_types[item.type] as string)
  const [width, height] = sizeOf(item, known)
  const label = current(labelId(element))
  const ends = isLine(item) ? endsOf(item, known, current, path) : null
  const placed =
    item.position === undefined
      ? { x: figure(known?.x) ?? 0, y: figure(known?.y) ?? 0 }
      : { x: item.position.x - width / 2, y: item.position.y - height / 2 }
  return {
    element,
    type,
    ...placed,
    width,
    height,
    rotation: item.geometry?.rotation ?? ((figure(known?.angle) ?? 0) * 180) / Math.PI,
    text: item.text === undefined ? textOfKnown(known, label) : item.text,
    style: { ...styleOfKnown(known, label), ...(item.type === 'sticky_note' ? note_style : {}), ...item.style },
    link: linkOf(item, known),
    frame: item.frame === undefined ? word(known?.frameId) : item.frame,
    groups: Array.isArray(known?.groupIds) ? (known.groupIds as string[]) : [],
    locked: item.locked ?? known?.locked === true,
    points: [],
    start: null,
    end: null,
    ...ends,
  }
}

const note_style = { background_color: '#ffec99', fill_style: 'solid' }

function typeOfKnown(known: SceneElement | undefined): string {
  return known !== undefined && ['ellipse', 'diamond'].includes(known.type) ? known.type : 'rectangle'
}

function linkOf(item: SentItem, known: SceneElement | undefined): string | null {
  if (item.linked_task === undefined) return word(known?.link)
  return item.linked_task === null ? null : taskPath(item.linked_task)
}

function textOfKnown(known: SceneElement | undefined, label: SceneElement | undefined): string | null {
  if (known?.type === 'frame') return word(known.name)
  return word(label?.originalText) ?? word(known?.originalText)
}

/** The style of an element that the request does not mention stays. */
function styleOfKnown(known: SceneElement | undefined, label: SceneElement | undefined): JsonObject {
  if (known === undefined) return { rounded: true }
  return {
    stroke_color: known.strokeColor ?? null,
    background_color: known.backgroundColor ?? null,
    fill_style: known.fillStyle ?? null,
    stroke_width: known.strokeWidth ?? null,
    stroke_style: known.strokeStyle ?? null,
    roughness: known.roughness ?? null,
    opacity: known.opacity ?? null,
    rounded: known.roundness !== null && known.roundness !== undefined,
    start_arrowhead: known.startArrowhead ?? null,
    end_arrowhead: known.endArrowhead ?? null,
    font_size: (label ?? known).fontSize ?? null,
    text_align: (label ?? known).textAlign ?? null,
    ...(label === undefined ? {} : { text_color: label.strokeColor ?? null }),
  }
}

interface Place {
  readonly x: number
  readonly y: number
}

/** A straight line between the edges of what it connects. */
function endsOf(item: SentItem, known: SceneElement | undefined, current: Current, path: string): Partial<DrawnItem> {
  if (item.connector === undefined) {
    if (known === undefined) {
      throw refuse('invalid_request_body', {
        param: `${path}.connector`,
        message: 'A new connector needs its two ends.',
      })
    }
    const points = (known.points as [number, number][] | undefined) ?? []
    return { points, start: boundId(known.startBinding), end: boundId(known.endBinding) }
  }
  const { start, end } = item.connector
  const from = centreOfEnd(start, current, `${path}.connector.start`)
  const to = centreOfEnd(end, current, `${path}.connector.end`)
  const first = edgeOf(start.element_id === undefined ? undefined : current(start.element_id), from, to)
  const last = edgeOf(end.element_id === undefined ? undefined : current(end.element_id), to, from)
  const [dx, dy] = [last.x - first.x, last.y - first.y]
  return {
    ...first,
    width: Math.abs(dx),
    height: Math.abs(dy),
    rotation: 0,
    points: [
      [0, 0],
      [dx, dy],
    ],
    start: start.element_id ?? null,
    end: end.element_id ?? null,
  }
}

function boundId(binding: unknown): string | null {
  return typeof binding === 'object' && binding !== null ? word((binding as JsonObject).elementId) : null
}

function centreOfEnd(end: Static<typeof End>, current: Current, path: string): Place {
  if (end.element_id === undefined) {
    if (end.x !== undefined && end.y !== undefined) return { x: end.x, y: end.y }
    throw refuse('invalid_request_body', { param: path, message: 'Send `element_id`, or `x` and `y`.' })
  }
  const element = current(end.element_id)
  if (element === undefined || element.isDeleted) {
    const message = `Neither the board nor the request has the element ${end.element_id}.`
    throw refuse('invalid_request_body', { param: `${path}.element_id`, message })
  }
  const [x = 0, y = 0, width = 0, height = 0] = [element.x, element.y, element.width, element.height].map(figure)
  return { x: x + width / 2, y: y + height / 2 }
}

const gap = 4

/** Where the line from the centre of an element to another point leaves the element. */
function edgeOf(element: SceneElement | undefined, centre: Place, to: Place): Place {
  if (element === undefined) return centre
  const [dx, dy] = [to.x - centre.x, to.y - centre.y]
  const half_width = (figure(element.width) ?? 0) / 2 + gap
  const half_height = (figure(element.height) ?? 0) / 2 + gap
  const share = Math.min(1, Math.min(half_width / Math.abs(dx), half_height / Math.abs(dy)))
  return Number.isFinite(share) ? { x: centre.x + dx * share, y: centre.y + dy * share } : centre
}

function figure(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function word(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The geometry of elements: boxes on the canvas and ends of connectors (contract/14#board-item). */
import type { ConnectorEnd } from '../board_item.ts'
import type { Element } from '../excalidraw.ts'
import { numberIn, objectIn, type Point, pairIn, pointsIn, requiredWordIn } from './fields.ts'

/** The box of an element before its rotation around its centre. `angle` is in radians, clockwise. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly angle: number
  /** The points of a line on the canvas, before its rotation. */
  readonly points: readonly Point[]
}

const drawn: ReadonlySet<string> = new Set(['arrow', 'line', 'freedraw'])
const boxed: ReadonlySet<string> = new Set([
  ...['rectangle', 'ellipse', 'diamond', 'text', 'frame', 'magicframe', 'image', 'embeddable', 'iframe'],
])

/** The box of an element. Its type decides which fields are required. */
export function boxOf(element: Element): Box {
  const angle = numberIn(element, 'angle', 0)
  const known = boxed.has(element.type) || drawn.has(element.type)
  const x = numberIn(element, 'x', known ? undefined : 0)
  const y = numberIn(element, 'y', known ? undefined : 0)
  if (drawn.has(element.type)) {
    const points = pointsIn(element, 'points')
    const { left, top, width, height } = around(points.length === 0 ? [{ x: 0, y: 0 }] : points)
    return {
      left: x + left,
      top: y + top,
      width,
      height,
      angle,
      points: points.map((at) => ({ x: x + at.x, y: y + at.y })),
    }
  }
  const width = numberIn(element, 'width', known ? undefined : 0)
  const height = numberIn(element, 'height', known ? undefined : 0)
  return {
    left: Math.min(x, x + width),
    top: Math.min(y, y + height),
    width: Math.abs(width),
    height: Math.abs(height),
    angle,
    points: [],
  }
}

function around(points: readonly Point[]): Pick<Box, 'left' | 'top' | 'width' | 'height'> {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { left, top, width: right - left, height: bottom - top }
}

export function centreOf({ left, top, width, height }: Box): Point {
  return { x: left + width / 2, y: top + height / 2 }
}

/** In degrees, from 0 to below 360, with four decimals. */
export function rotationOf({ angle }: Box): number {
  const degrees = Math.round(((angle * 180) / Math.PI) * 10_000) / 10_000
  return ((degrees % 360) + 360) % 360
}

function turned({ x, y }: Point, about: Point, angle: number): Point {
  if (angle === 0) return { x, y }
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
  const [dx, dy] = [x - about.x, y - about.y]
  return { x: about.x + dx * cos - dy * sin, y: about.y + dx * sin + dy * cos }
}

/** The points of a line after its rotation. */
export function pathOf(box: Box): Point[] {
  const centre = centreOf(box)
  return box.points.map((point) => turned(point, centre, box.angle))
}

/** An item that the end of a connector can be bound to. */
export interface Anchor {
  readonly item: string
  readonly box: Box
}

export type Anchors = (element: string) => Anchor | undefined

/** The item that an end is bound to, if it exists. */
export function anchorOf(element: Element, end: 'startBinding' | 'endBinding', anchors: Anchors): Anchor | undefined {
  const binding = objectIn(element, end)
  return binding === null ? undefined : anchors(requiredWordIn(binding, 'elementId'))
}

/** The end of a connector: on an item, as fractions of its sides, or a point of the canvas. */
export function endOf(
  element: Element,
  end: 'startBinding' | 'endBinding',
  seen: Point,
  anchors: Anchors,
): ConnectorEnd {
  const anchor = anchorOf(element, end, anchors)
  if (anchor === undefined) return { item: null, ...seen, relative_to: 'canvas' }
  const { box, item } = anchor
  const binding = objectIn(element, end)
  const fixed = binding === null ? null : pairIn(binding, 'fixedPoint')
  // A bound end keeps a small gap to its item; it is moved to the item's edge.
  const { x, y } = turned(seen, centreOf(box), -box.angle)
  return {
    item,
    x: share(fixed?.x ?? (x - box.left) / box.width),
    y: share(fixed?.y ?? (y - box.top) / box.height),
    relative_to: 'item',
  }
}

/** Limited to 0 to 1; 0.5 for a side without length. */
function share(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 0.5
}

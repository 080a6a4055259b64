/** Places the items of a snapshot on the canvas. The position of an item in a frame is relative to the frame's corner. */
import type { BoardItem } from '@atrium/sdk'

export interface Point {
  readonly x: number
  readonly y: number
}

/** Before rotation about the centre. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Placed {
  readonly item: BoardItem
  readonly box: Box
}

export interface Scene {
  /** In drawing order, bottom to top. */
  readonly placed: readonly Placed[]
  /** Null for an empty drawing. */
  readonly bounds: Box | null
}

/** Frames are not nested; the limit only ends the recursion on a damaged response. */
const depth_max = 8

export function sceneOf(items: readonly BoardItem[]): Scene {
  const byId = new Map(items.map((item) => [item.id, item]))
  const placed = items.toSorted((a, b) => a.order - b.order).map((item) => ({ item, box: boxOf(item, byId, 0) }))
  return { placed, bounds: boundsOf(placed) }
}

function boxOf(item: BoardItem, byId: ReadonlyMap<string, BoardItem>, depth: number): Box {
  const { position, geometry, parent } = item
  const { width, height } = geometry
  const frame = parent === null || position.relative_to === 'canvas' ? undefined : byId.get(parent)
  const corner = frame === undefined || depth === depth_max ? null : boxOf(frame, byId, depth + 1)
  const [x, y] = [position.x + (corner?.left ?? 0), position.y + (corner?.top ?? 0)]
  return { left: x - width / 2, top: y - height / 2, width, height }
}

export function centreOf({ left, top, width, height }: Box): Point {
  return { x: left + width / 2, y: top + height / 2 }
}

/** The corners of an item after rotation; for a connector, the points of its path. */
function cornersOf({ item, box }: Placed): readonly Point[] {
  if (item.connector !== null && item.connector.path.length > 0) return item.connector.path
  const { left, top, width, height } = box
  const corners = [
    { x: left, y: top },
    { x: left + width, y: top },
    { x: left, y: top + height },
    { x: left + width, y: top + height },
  ]
  return item.geometry.rotation === 0
    ? corners
    : corners.map((corner) => rotate(corner, centreOf(box), item.geometry.rotation))
}

function rotate({ x, y }: Point, about: Point, degrees: number): Point {
  const angle = (degrees * Math.PI) / 180
  const [sin, cos, dx, dy] = [Math.sin(angle), Math.cos(angle), x - about.x, y - about.y]
  return { x: about.x + dx * cos - dy * sin, y: about.y + dx * sin + dy * cos }
}

function boundsOf(placed: readonly Placed[]): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const each of placed) {
    for (const { x, y } of cornersOf(each)) {
      left = Math.min(left, x)
      top = Math.min(top, y)
      right = Math.max(right, x)
      bottom = Math.max(bottom, y)
    }
  }
  return left > right ? null : { left, top, width: right - left, height: bottom - top }
}

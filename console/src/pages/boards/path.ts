/** SVG paths of lines, connectors and arrowheads. */
import type { Point } from './scene.ts'

const points_max = 5000
const head_max = 30

/** A straight or curved path through points, thinned out evenly to `points_max`. */
export function pathThrough(points: readonly Point[], curved: boolean, from: Point = { x: 0, y: 0 }): string {
  const step = Math.ceil(points.length / points_max)
  const kept = step <= 1 ? points : points.filter((_, at) => at % step === 0 || at === points.length - 1)
  const moved = kept.map(({ x, y }) => ({ x: x + from.x, y: y + from.y }))
  const [first, ...rest] = moved
  if (first === undefined) return ''
  const start = `M${round(first)}`
  // A single point is a dot: a line of length zero with round ends.
  if (rest.length === 0) return `${start}L${round(first)}`
  if (!curved || rest.length === 1) return `${start}${rest.map((point) => `L${round(point)}`).join('')}`
  return `${start}${rest.map((point, at) => curveTo(moved, at, point)).join('')}`
}

/** A cubic curve from point `at` to the next, with the tangents of a Catmull-Rom spline. */
function curveTo(points: readonly Point[], at: number, to: Point): string {
  const from = points[at] ?? to
  const before = points[at - 1] ?? from
  const after = points[at + 2] ?? to
  const out = { x: from.x + (to.x - before.x) / 6, y: from.y + (to.y - before.y) / 6 }
  const into = { x: to.x - (after.x - from.x) / 6, y: to.y - (after.y - from.y) / 6 }
  return `C${round(out)} ${round(into)} ${round(to)}`
}

function round({ x, y }: Point): string {
  return `${Math.round(x * 100) / 100} ${Math.round(y * 100) / 100}`
}

export interface Head {
  readonly path: string
  readonly filled: boolean
}

/** The arrowhead at `tip` of a line that comes from `from`. */
export function headAt(kind: unknown, tip: Point, from: Point, strokeWidth: number): Head | null {
  if (typeof kind !== 'string' || kind === '') return null
  const length = Math.hypot(tip.x - from.x, tip.y - from.y)
  if (length === 0) return null
  const size = Math.min(head_max, 8 + strokeWidth * 4, length / 2)
  const along = { x: (tip.x - from.x) / length, y: (tip.y - from.y) / length }
  const at = (back: number, aside: number): Point => ({
    x: tip.x - along.x * back - along.y * aside,
    y: tip.y - along.y * back + along.x * aside,
  })
  const [left, right] = [at(size, size * 0.45), at(size, -size * 0.45)]
  if (kind === 'bar') return { path: pathThrough([at(0, size / 2), at(0, -size / 2)], false), filled: false }
  if (kind.startsWith('triangle')) {
    return { path: `${pathThrough([left, tip, right], false)}Z`, filled: !kind.endsWith('outline') }
  }
  if (kind.startsWith('diamond')) {
    const points = [tip, at(size / 2, size * 0.35), at(size, 0), at(size / 2, -size * 0.35)]
    return { path: `${pathThrough(points, false)}Z`, filled: !kind.endsWith('outline') }
  }
  if (kind.startsWith('circle') || kind === 'dot') {
    const r = size / 4
    const dot = Array.from({ length: 12 }, (_, i) => {
      const angle = (i * Math.PI) / 6
      return at(r + r * Math.cos(angle), r * Math.sin(angle))
    })
    return { path: `${pathThrough(dot, false)}Z`, filled: !kind.endsWith('outline') }
  }
  return { path: pathThrough([left, tip, right], false), filled: false }
}

/** The point halfway along a path, where its text is placed. */
export function middleOf(points: readonly Point[]): Point {
  const lengths = points.slice(1).map((point, at) => {
    const from = points[at] ?? point
    return Math.hypot(point.x - from.x, point.y - from.y)
  })
  let left = lengths.reduce((sum, length) => sum + length, 0) / 2
  for (const [at, length] of lengths.entries()) {
    const [from, to] = [points[at], points[at + 1]]
    if (from !== undefined && to !== undefined && left <= length && length > 0) {
      const share = left / length
      return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
    }
    left -= length
  }
  return points[0] ?? { x: 0, y: 0 }
}

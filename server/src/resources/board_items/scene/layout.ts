/**
 * Places for new items that a request does not place, so that a program can draw without geometry: what its connectors connect
 * stands in columns in their direction, everything else in rows below.
 */

export interface UnplacedItem {
  readonly id: string
  readonly width: number
  readonly height: number
}

/** From the first item to the second. */
export type Link = readonly [from: string, to: string]

interface Place {
  readonly x: number
  readonly y: number
}

const column_gap = 100
const row_gap = 40
const row_items = 4

/** The middle of each item, in pixels of the canvas. `corner`: where the drawing of the items begins. */
export function layOut(items: readonly UnplacedItem[], links: readonly Link[], corner: Place): Map<string, Place> {
  const ids = new Set(items.map(({ id }) => id))
  const inside = links.filter(([from, to]) => from !== to && ids.has(from) && ids.has(to))
  const connected = new Set(inside.flat())
  const depths = depthsOf([...connected], inside)
  const columns = Map.groupBy(
    items.filter(({ id }) => connected.has(id)),
    ({ id }) => depths.get(id) ?? 0,
  )
  const places = new Map<string, Place>()
  let bottom = corner.y
  let left = corner.x
  for (const [, column] of [...columns].sort(([a], [b]) => a - b)) {
    const width = Math.max(...column.map((item) => item.width))
    let top = corner.y
    for (const item of column) {
      places.set(item.id, { x: left + width / 2, y: top + item.height / 2 })
      top += item.height + row_gap
    }
    bottom = Math.max(bottom, top)
    left += width + column_gap
  }
  placeInRows(
    items.filter(({ id }) => !connected.has(id)),
    { x: corner.x, y: bottom },
    places,
  )
  return places
}

function placeInRows(items: readonly UnplacedItem[], corner: Place, places: Map<string, Place>): void {
  let top = corner.y
  for (let first = 0; first < items.length; first += row_items) {
    const row = items.slice(first, first + row_items)
    const height = Math.max(...row.map((item) => item.height))
    let left = corner.x
    for (const item of row) {
      places.set(item.id, { x: left + item.width / 2, y: top + height / 2 })
      left += item.width + row_gap
    }
    top += height + row_gap
  }
}

/** How many connectors lead to each item at most. A cycle begins at its first item. */
function depthsOf(ids: readonly string[], links: readonly Link[]): Map<string, number> {
  const next = Map.groupBy(links, ([from]) => from)
  const waiting = new Map(ids.map((id) => [id, 0]))
  for (const [, to] of links) waiting.set(to, (waiting.get(to) ?? 0) + 1)
  const depths = new Map<string, number>()
  const done = new Set<string>()
  const ready = ids.filter((id) => waiting.get(id) === 0)
  for (let left = ids.length; left > 0; left--) {
    const id = ready.shift() ?? (ids.find((each) => !done.has(each)) as string)
    done.add(id)
    for (const [, to] of next.get(id) ?? []) {
      if (done.has(to)) continue
      depths.set(to, Math.max(depths.get(to) ?? 0, (depths.get(id) ?? 0) + 1))
      waiting.set(to, (waiting.get(to) ?? 0) - 1)
      if (waiting.get(to) === 0) ready.push(to)
    }
  }
  return depths
}

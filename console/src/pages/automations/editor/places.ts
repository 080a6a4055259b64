/** Where cards of the canvas stand: their size, and a free place for a new one. */
import type { GraphDraft, Place } from './graph.ts'

/** Pixels of a card. Its height grows with its ports; rows leave room for that. */
export const card_width = 232
export const card_height = 76
export const gap_x = 88
export const gap_y = 40

/** The places that the authors of the graph gave to its nodes. */
export function ownPlaces({ nodes }: GraphDraft): ReadonlyMap<string, Place> {
  const own = new Map<string, Place>()
  for (const { id, ui } of nodes) if (ui?.x !== undefined && ui.y !== undefined) own.set(id, { x: ui.x, y: ui.y })
  return own
}

/** Right of the step that the new one follows, below what is there already; else left of everything, below. */
export function placeFor(
  graph: GraphDraft,
  places: ReadonlyMap<string, Place>,
  from?: { readonly node: string },
): Place {
  const at = from && places.get(from.node)
  if (at === undefined) {
    const all = [...places.values()]
    const bottom = Math.max(0, ...all.map(({ y }) => y + card_height + gap_y))
    return { x: Math.min(0, ...all.map(({ x }) => x)), y: all.length === 0 ? 0 : bottom }
  }
  const column = at.x + card_width + gap_x
  const isTaken = (y: number) =>
    graph.nodes.some(({ id }) => {
      const other = places.get(id)
      return other !== undefined && Math.abs(other.x - column) < card_width && Math.abs(other.y - y) < card_height
    })
  let { y } = at
  while (isTaken(y)) y += card_height + gap_y
  return { x: column, y }
}

/** The card furthest right, and of several the lowest: a step that follows none yet stands beside it. */
export function lastCard(places: ReadonlyMap<string, Place>): { readonly node: string } | undefined {
  const [last] = [...places].sort(([, one], [, other]) => other.x - one.x || other.y - one.y)
  return last && { node: last[0] }
}

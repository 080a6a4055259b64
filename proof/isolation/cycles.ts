/**
 * Cycles among operations that must come before each other. If there is one, no order of the operations, one after the
 * other, explains what was seen. Kinds of cycles by what they are made of, as Adya names them: write after write (G0), read
 * of a write (G1c), one overtaken read (G-single), several (G2); with real time where it takes that to close the cycle.
 */

/** `ww`: overwrote; `wr`: was read by; `rw`: read what was then overwritten by; `rt`: ended before it began. */
export type EdgeKind = 'ww' | 'wr' | 'rw' | 'rt'

export interface Edge {
  readonly from: number
  readonly to: number
  readonly kind: EdgeKind
  /** For reports. */
  readonly why: string
}

export interface Cycle {
  readonly kind: 'G0' | 'G1c' | 'G-single' | 'G2' | 'G-real-time'
  /** Each ends where the next begins, the last where the first begins. */
  readonly edges: readonly Edge[]
}

/** What cycles may be made of, the worst first: a knot is told of by the first that ties it. */
const levels: readonly { readonly kind: Cycle['kind']; readonly of: readonly EdgeKind[] }[] = [
  { kind: 'G0', of: ['ww'] },
  { kind: 'G1c', of: ['ww', 'wr'] },
  { kind: 'G2', of: ['ww', 'wr', 'rw'] },
  { kind: 'G-real-time', of: ['ww', 'wr', 'rw', 'rt'] },
]

/** So many overtaken reads of a knot are tried alone. */
const single_tries_max = 200

/** One cycle of each knot of nodes `0 … count - 1`. */
export function findCycles(count: number, edges: readonly Edge[]): Cycle[] {
  const found: Cycle[] = []
  const known = new Set<number>()
  for (const { kind, of } of levels) {
    const lists: Edge[][] = Array.from({ length: count }, () => [])
    for (const edge of edges) if (of.includes(edge.kind)) lists[edge.from]?.push(edge)
    for (const knot of knotsOf(count, lists)) {
      if (knot.some((node) => known.has(node))) continue
      for (const node of knot) known.add(node)
      const within = new Set(knot)
      const inside = lists.map((list, node) => (within.has(node) ? list.filter(({ to }) => within.has(to)) : []))
      found.push((kind === 'G2' ? singleIn(knot, inside) : null) ?? { kind, edges: cycleIn(knot, inside) })
    }
  }
  return found
}

/** A cycle with one overtaken read only. */
function singleIn(knot: readonly number[], inside: readonly Edge[][]): Cycle | null {
  const calm = inside.map((list) => list.filter(({ kind }) => kind !== 'rw'))
  const overtaken = knot.flatMap((node) => (inside[node] ?? []).filter(({ kind }) => kind === 'rw'))
  for (const edge of overtaken.slice(0, single_tries_max)) {
    const back = wayBetween(edge.to, edge.from, calm)
    if (back !== null) return { kind: 'G-single', edges: [edge, ...back] }
  }
  return null
}

function cycleIn([node = 0]: readonly number[], inside: readonly Edge[][]): Edge[] {
  for (const edge of inside[node] ?? []) {
    const back = wayBetween(edge.to, node, inside)
    if (back !== null) return [edge, ...back]
  }
  throw new Error('a knot has no cycle')
}

/** The shortest way from one node to another; none: `null`. */
function wayBetween(from: number, to: number, lists: readonly Edge[][]): Edge[] | null {
  const reached = new Map<number, Edge | null>([[from, null]])
  const queue = [from]
  for (const node of queue) {
    for (const edge of lists[node] ?? []) {
      if (reached.has(edge.to)) continue
      reached.set(edge.to, edge)
      queue.push(edge.to)
      if (edge.to === to) return traced(reached, to)
    }
  }
  return null
}

function traced(reached: ReadonlyMap<number, Edge | null>, to: number): Edge[] {
  const way: Edge[] = []
  for (let edge = reached.get(to) ?? null; edge !== null; edge = reached.get(edge.from) ?? null) way.unshift(edge)
  return way
}

/** Sets of more than one node that can all reach each other (Tarjan, without recursion). */
function knotsOf(count: number, lists: readonly Edge[][]): number[][] {
  const order = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const next = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const knots: number[][] = []
  let turn = 0
  for (let root = 0; root < count; root++) {
    if (order[root] !== -1) continue
    const path = [root]
    while (path.length > 0) {
      const node = path.at(-1) as number
      if (order[node] === -1) {
        order[node] = low[node] = turn++
        open.push(node)
        isOpen[node] = 1
      }
      const edge = (lists[node] as Edge[])[next[node] as number]
      if (edge !== undefined) {
        next[node] = (next[node] as number) + 1
        if (order[edge.to] === -1) path.push(edge.to)
        else if (isOpen[edge.to] === 1) low[node] = Math.min(low[node] as number, order[edge.to] as number)
        continue
      }
      path.pop()
      const above = path.at(-1)
      if (above !== undefined) low[above] = Math.min(low[above] as number, low[node] as number)
      if (low[node] !== order[node]) continue
      const knot = open.splice(open.lastIndexOf(node))
      for (const each of knot) isOpen[each] = 0
      if (knot.length > 1) knots.push(knot)
    }
  }
  return knots
}

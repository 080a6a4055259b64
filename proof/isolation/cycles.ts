/**
 * Cycles in the precedence graph of operations. If there is one, no sequential order explains what was seen. The kinds follow
 * Adya: write dependencies only (G0), with read dependencies (G1c), with one anti-dependency (G-single), with several (G2);
 * G-real-time if only real time closes the cycle.
 */

/** From an operation to one that: `ww` overwrote its write, `wr` read its write, `rw` overwrote what it read, `rt` began after its end. */
type EdgeKind = 'ww' | 'wr' | 'rw' | 'rt'

export interface Edge {
  readonly from: number
  readonly to: number
  readonly kind: EdgeKind
  /** For reports. */
  readonly why: string
}

export interface Cycle {
  readonly kind: 'G0' | 'G1c' | 'G-single' | 'G2' | 'G-real-time'
  /** A closed path. */
  readonly edges: readonly Edge[]
}

/** The kinds, worst first. A strongly connected component is reported at the first level that forms it. */
const levels: readonly { readonly kind: Cycle['kind']; readonly of: readonly EdgeKind[] }[] = [
  { kind: 'G0', of: ['ww'] },
  { kind: 'G1c', of: ['ww', 'wr'] },
  { kind: 'G2', of: ['ww', 'wr', 'rw'] },
  { kind: 'G-real-time', of: ['ww', 'wr', 'rw', 'rt'] },
]

/** How many anti-dependencies of a component are tried alone. */
const single_tries_max = 200

/** One cycle of each strongly connected component of the nodes `0 … count - 1`. */
export function findCycles(count: number, edges: readonly Edge[]): Cycle[] {
  const found: Cycle[] = []
  const known = new Set<number>()
  for (const { kind, of } of levels) {
    const lists: Edge[][] = Array.from({ length: count }, () => [])
    for (const edge of edges) if (of.includes(edge.kind)) lists[edge.from]?.push(edge)
    for (const component of componentsOf(count, lists)) {
      if (component.some((node) => known.has(node))) continue
      for (const node of component) known.add(node)
      const within = new Set(component)
      const inside = lists.map((list, node) => (within.has(node) ? list.filter(({ to }) => within.has(to)) : []))
      found.push((kind === 'G2' ? singleIn(component, inside) : null) ?? { kind, edges: cycleIn(component, inside) })
    }
  }
  return found
}

/** A cycle with a single anti-dependency. */
function singleIn(component: readonly number[], inside: readonly Edge[][]): Cycle | null {
  const dependencies = inside.map((list) => list.filter(({ kind }) => kind !== 'rw'))
  const antiDependencies = component.flatMap((node) => (inside[node] ?? []).filter(({ kind }) => kind === 'rw'))
  for (const edge of antiDependencies.slice(0, single_tries_max)) {
    const back = pathBetween(edge.to, edge.from, dependencies)
    if (back !== null) return { kind: 'G-single', edges: [edge, ...back] }
  }
  return null
}

function cycleIn([node = 0]: readonly number[], inside: readonly Edge[][]): Edge[] {
  for (const edge of inside[node] ?? []) {
    const back = pathBetween(edge.to, node, inside)
    if (back !== null) return [edge, ...back]
  }
  throw new Error('a component has no cycle')
}

/** The shortest path between two nodes, or `null`. */
function pathBetween(from: number, to: number, lists: readonly Edge[][]): Edge[] | null {
  const reached = new Map<number, Edge | null>([[from, null]])
  const queue = [from]
  for (const node of queue) {
    for (const edge of lists[node] ?? []) {
      if (reached.has(edge.to)) continue
      reached.set(edge.to, edge)
      queue.push(edge.to)
      if (edge.to === to) return tracePath(reached, to)
    }
  }
  return null
}

function tracePath(reached: ReadonlyMap<number, Edge | null>, to: number): Edge[] {
  const path: Edge[] = []
  for (let edge = reached.get(to) ?? null; edge !== null; edge = reached.get(edge.from) ?? null) path.unshift(edge)
  return path
}

/** Strongly connected components of more than one node (Tarjan, without recursion). */
function componentsOf(count: number, lists: readonly Edge[][]): number[][] {
  const order = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const next = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const components: number[][] = []
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
      const component = open.splice(open.lastIndexOf(node))
      for (const each of component) isOpen[each] = 0
      if (component.length > 1) components.push(component)
    }
  }
  return components
}

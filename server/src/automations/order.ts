/**
 * The execution order of a graph's nodes and what follows from it: cycles, reachability, preceding steps, the longest
 * run.
 */
import {
  enclosing,
  entriesOf,
  isTriggerType,
  nodesIn,
  type Sketch,
  type SketchEdge,
  type SketchNode,
} from './sketch.ts'

/**
 * The nodes of one scope in topological order; of several candidates the first in the array
 * (contract/16#execution-order). Nodes on a cycle, or reachable only through one, are left out.
 */
export function orderOf(sketch: Sketch, scope: string | null): readonly SketchNode[] {
  const waiting = nodesIn(sketch, scope).slice()
  const inside = new Set(waiting.map(({ id }) => id))
  const edges = sketch.edges.filter(({ source, target }) => inside.has(source) && inside.has(target))
  const order: SketchNode[] = []
  for (;;) {
    const next = waiting.findIndex(({ id }) =>
      edges.every(({ source, target }) => target !== id || !inside.has(source)),
    )
    const [node] = next < 0 ? [] : waiting.splice(next, 1)
    if (node === undefined) return order
    inside.delete(node.id)
    order.push(node)
  }
}

export interface Cycle {
  /** The edge that closes the cycle. */
  readonly edge: SketchEdge
  /** Its nodes, from the edge's target on. */
  readonly ids: readonly string[]
}

/** The cycles that a depth-first search finds, in the order of the array. */
export function cyclesOf(sketch: Sketch): readonly Cycle[] {
  const cycles: Cycle[] = []
  const done = new Set<string>()
  const within = sketch.edges.filter(({ target }) => !isTriggerType(sketch.byId.get(target)?.type ?? 'stop'))
  const leaving = Map.groupBy(within, ({ source }) => source)
  const visit = (id: string, way: readonly string[]): void => {
    done.add(id)
    const walked = [...way, id]
    for (const edge of leaving.get(id) ?? []) {
      const back = walked.indexOf(edge.target)
      if (back >= 0) cycles.push({ edge, ids: walked.slice(back) })
      else if (!done.has(edge.target) && sketch.byId.has(edge.target)) visit(edge.target, walked)
    }
  }
  for (const { id } of sketch.nodes) if (!done.has(id)) visit(id, [])
  return cycles
}

/** The ids reachable from a trigger, triggers included; a for_each leads to the entries of its body. */
export function reached(sketch: Sketch): ReadonlySet<string> {
  const found = new Set<string>()
  const next = sketch.nodes.filter(({ type }) => isTriggerType(type)).map(({ id }) => id)
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (found.has(id)) continue
    found.add(id)
    for (const { source, target } of sketch.edges) if (source === id) next.push(target)
    if (sketch.byId.get(id)?.type === 'for_each') next.push(...entriesOf(sketch, id).map((entry) => entry.id))
  }
  return found
}

/**
 * The steps before a node, whose outputs its expressions may use: those with a path to the node or to a for_each that
 * encloses it, and the enclosing for_each nodes. A step in a body precedes nothing outside it.
 */
export function stepsBefore(sketch: Sketch, id: string): ReadonlySet<string> {
  const found = new Set<string>()
  const [, ...around] = enclosing(sketch, id).map((node) => node.id)
  for (const one of around) found.add(one)
  const next = [id, ...around]
  for (let target = next.pop(); target !== undefined; target = next.pop()) {
    for (const edge of sketch.edges) {
      const source = edge.target === target ? sketch.byId.get(edge.source) : undefined
      if (source === undefined || found.has(source.id) || source.parent !== sketch.byId.get(target)?.parent) continue
      found.add(source.id)
      next.push(source.id)
    }
  }
  return new Set([...found].filter((one) => !isTriggerType((sketch.byId.get(one) as SketchNode).type)))
}

/**
 * The number of steps in the longest run: each node of a scope once, each node of a body once per item. Parents must
 * not form a cycle.
 */
export function longestWalk(sketch: Sketch, scope: string | null = null): number {
  return nodesIn(sketch, scope).reduce((steps, { id, type, config }) => {
    if (isTriggerType(type)) return steps
    if (type !== 'for_each') return steps + 1
    const items_max = typeof config.max_items === 'number' ? config.max_items : 1
    return steps + 1 + items_max * longestWalk(sketch, id)
  }, 0)
}

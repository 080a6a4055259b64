/**
 * What is certain when a node runs: which steps ran before it, and which of them succeeded. Computed along the edges: of
 * several ways that lead to a node only what all of them have is certain.
 */
import { orderOf } from './order.ts'
import { portsOf, type Sketch, type SketchEdge } from './sketch.ts'

/** `ran id` and `ok id`; a step that is ok left its output. */
type Facts = ReadonlySet<string>

const nothing: Facts = new Set()

/** Whether a step's output is certain to be there when a node runs. Of graphs without faults of structure. */
export function certainOutputs(sketch: Sketch): (node: string, step: string) => boolean {
  const facts = new Map<string, Facts>()
  const follows = new Map(sketch.nodes.map(({ id }) => [id, consequences(sketch, id)]))
  walk(sketch, null, nothing, follows, facts)
  return (node, step) => facts.get(node)?.has(`ok ${step}`) ?? false
}

function walk(
  sketch: Sketch,
  scope: string | null,
  begin: Facts,
  follows: ReadonlyMap<string, Facts>,
  facts: Map<string, Facts>,
): void {
  for (const { id, type } of orderOf(sketch, scope)) {
    const ways = sketch.edges.filter(({ target }) => target === id).map((edge) => along(sketch, edge, facts))
    const before = ways.length === 0 ? begin : ways.reduce((a, b) => a.intersection(b))
    const known = before.union(follows.get(id) ?? nothing)
    facts.set(id, known)
    if (type === 'for_each') walk(sketch, id, known, follows, facts)
  }
}

/** What is certain on an edge: what was before its source, that this ran, and that it did not fail on this way. */
function along(sketch: Sketch, edge: SketchEdge, facts: ReadonlyMap<string, Facts>): Facts {
  const before = facts.get(edge.source) ?? nothing
  const well = sketch.byId.get(edge.source)?.on_error !== 'continue' && edge.port !== 'error'
  return well ? before.union(new Set([`ok ${edge.source}`])) : before
}

/** What follows from a node's having run: one that fails ends the run unless told otherwise, one port is always taken. */
function consequences(sketch: Sketch, id: string): Facts {
  const facts = new Set<string>()
  const next = [id]
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    const node = sketch.byId.get(one)
    if (node === undefined || facts.has(`ran ${one}`)) continue
    facts.add(`ran ${one}`)
    if (node.on_error === 'fail') facts.add(`ok ${one}`)
    if (portsOf(node).length !== 1) continue
    for (const { source, target } of sketch.edges) if (source === one) next.push(target)
  }
  return facts
}

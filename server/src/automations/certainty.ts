/**
 * Which step outputs certainly exist when a node runs. Facts flow along the edges; where several edges meet, only the
 * facts that all of them carry are certain.
 */
import { orderOf } from './order.ts'
import { portsOf, type Sketch, type SketchEdge } from './sketch.ts'

/** `ran <id>` and `ok <id>`; a step that is ok has an output. */
type Facts = ReadonlySet<string>

const nothing: Facts = new Set()

/**
 * Returns a test for whether a step's output certainly exists when a node runs. The graph must have no structural
 * faults.
 */
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
    const incoming = sketch.edges.filter(({ target }) => target === id).map((edge) => factsOnEdge(sketch, edge, facts))
    const before = incoming.length === 0 ? begin : incoming.reduce((a, b) => a.intersection(b))
    const known = before.union(follows.get(id) ?? nothing)
    facts.set(id, known)
    if (type === 'for_each') walk(sketch, id, known, follows, facts)
  }
}

/**
 * The facts on an edge: those before its source, and that the source succeeded unless the edge is also taken on
 * failure.
 */
function factsOnEdge(sketch: Sketch, edge: SketchEdge, facts: ReadonlyMap<string, Facts>): Facts {
  const before = facts.get(edge.source) ?? nothing
  const succeeded = sketch.byId.get(edge.source)?.on_error !== 'continue' && edge.port !== 'error'
  return succeeded ? before.union(new Set([`ok ${edge.source}`])) : before
}

/**
 * The facts implied when a node runs. A failure ends the run unless `on_error` says otherwise, so the step succeeded; a
 * node with a single port always takes it, so its targets run too.
 */
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

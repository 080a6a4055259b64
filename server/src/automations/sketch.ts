/**
 * The nodes and edges of a graph that may still have faults: only well-formed parts are kept. Checks of the whole graph
 * read it, and programs are compiled from it. Nodes keep the order of the array.
 */
import { isNodeType, type NodeType } from './schema.ts'
import { word_form } from './schema-values.ts'
import { isRecord } from './shape.ts'

export interface SketchNode {
  /** Its index in the array of nodes. */
  readonly index: number
  readonly path: string
  readonly id: string
  readonly type: NodeType
  /** The for_each whose body contains it. */
  readonly parent: string | null
  readonly on_error: 'fail' | 'continue' | 'branch'
  readonly config: Readonly<Record<string, unknown>>
}

export interface SketchEdge {
  readonly index: number
  readonly path: string
  readonly source: string
  /** As sent; undefined means the default port. */
  readonly port: string | undefined
  readonly target: string
}

export interface Sketch {
  /** Each id once; of duplicates the first. */
  readonly nodes: readonly SketchNode[]
  readonly byId: ReadonlyMap<string, SketchNode>
  readonly edges: readonly SketchEdge[]
}

const word = new RegExp(word_form)

export function sketchOf(graph: { readonly nodes?: unknown; readonly edges?: unknown }): Sketch {
  const byId = new Map<string, SketchNode>()
  for (const [index, node] of listOf(graph.nodes).entries()) {
    const sketched = sketchNode(node, index)
    if (sketched !== undefined && !byId.has(sketched.id)) byId.set(sketched.id, sketched)
  }
  const edges = listOf(graph.edges).flatMap((edge, index) => sketchEdge(edge, index) ?? [])
  return { nodes: [...byId.values()], byId, edges }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function sketchNode(node: unknown, index: number): SketchNode | undefined {
  if (!isRecord(node) || typeof node.id !== 'string' || !word.test(node.id) || !isNodeType(node.type)) return undefined
  const { id, type, parent, on_error, config } = node
  return {
    index,
    path: `graph.nodes[${index}]`,
    id,
    type,
    parent: typeof parent === 'string' ? parent : null,
    on_error: on_error === 'continue' || on_error === 'branch' ? on_error : 'fail',
    config: isRecord(config) ? config : {},
  }
}

function sketchEdge(edge: unknown, index: number): SketchEdge | undefined {
  if (!isRecord(edge) || typeof edge.source !== 'string' || typeof edge.target !== 'string') return undefined
  const port = typeof edge.port === 'string' && word.test(edge.port) ? edge.port : undefined
  return { index, path: `graph.edges[${index}]`, source: edge.source, port, target: edge.target }
}

export function isTriggerType(type: NodeType): boolean {
  return type.startsWith('trigger.')
}

/** The port of an edge that names none (contract/16#conditions-and-loops). */
export function defaultPort(node: SketchNode): string {
  if (node.type === 'condition') return 'true'
  return node.type === 'approval.wait' ? 'approved' : 'out'
}

/** The ports of a node (contract/16#conditions-and-loops). */
export function portsOf(node: SketchNode): readonly string[] {
  if (node.type === 'stop') return []
  if (node.type === 'condition') return ['true', 'false']
  if (node.type === 'switch') return [...casePorts(node), 'default']
  if (node.type === 'approval.wait') return approvalPorts(node.config)
  const out = node.type === 'flow.call' ? callPorts(node.config) : ['out']
  return node.on_error === 'branch' ? [...out, 'error'] : out
}

/** How a `flow.call` that does not fail can end. */
export function callPorts(config: Readonly<Record<string, unknown>>): readonly CallPort[] {
  return config.timeout_seconds === undefined ? ['out'] : ['out', 'timed_out']
}

export type CallPort = 'out' | 'timed_out'

/** The ports of an `approval.wait`: how it can end. */
export function approvalPorts(config: Readonly<Record<string, unknown>>): readonly ApprovalPort[] {
  return config.timeout_seconds === undefined ? ['approved', 'rejected'] : ['approved', 'rejected', 'timed_out']
}

export type ApprovalPort = 'approved' | 'rejected' | 'timed_out'

export function casePorts(node: SketchNode): string[] {
  return listOf(node.config.cases).flatMap((one) => (isRecord(one) && typeof one.port === 'string' ? [one.port] : []))
}

/** The nodes of the run itself (null) or of a body, in the order of the array. */
export function nodesIn(sketch: Sketch, scope: string | null): readonly SketchNode[] {
  return sketch.nodes.filter((node) => node.parent === scope)
}

/** The entries of a body: its nodes without an edge from inside the body. */
export function entriesOf(sketch: Sketch, body: string): readonly SketchNode[] {
  const inside = new Set(nodesIn(sketch, body).map(({ id }) => id))
  const led = new Set(sketch.edges.filter(({ source }) => inside.has(source)).map(({ target }) => target))
  return nodesIn(sketch, body).filter(({ id }) => !led.has(id))
}

/** The node and everything that encloses it, innermost first. */
export function enclosing(sketch: Sketch, id: string): readonly SketchNode[] {
  const found: SketchNode[] = []
  let node = sketch.byId.get(id)
  while (node !== undefined && !found.includes(node)) {
    found.push(node)
    node = node.parent === null ? undefined : sketch.byId.get(node.parent)
  }
  return found
}

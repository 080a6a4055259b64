/**
 * What is wrong with an automation graph: all of it in one answer, each fault with its path (decisions §16). Whatever
 * needs the database is handed back as references; what is known only above this folder is handed in.
 */
import type { Fault } from '../api/errors.ts'
import type { Scope } from '../api/scopes.ts'
import { limits } from '../lib/limits.ts'
import { longestWalk } from './order.ts'
import { requiredScopes, usesAi } from './required-scopes.ts'
import { Edge, type Graph, isNodeType, Settings } from './schema.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { at, type Computed, type Findings, isRecord, look, noFindings, type Reference, type Schema } from './shape.ts'
import { type Sketch, sketchOf } from './sketch.ts'
import { actsOnSubject, beginnings } from './triggers.ts'
import { configFaults, type Known } from './validate-config.ts'
import { checkExpressions, type Placed } from './validate-expressions.ts'
import { structureFaults } from './validate-structure.ts'
import { type Warning, warningsOf } from './warnings.ts'

export interface Validation {
  /** In the order of the graph; empty when it can be used. At most `automation_faults_max`. */
  readonly faults: readonly Fault[]
  /** The graph, once it has no faults. */
  readonly graph: Graph | null
  /** The objects that it names, for the caller to find. */
  readonly references: readonly Reference[]
  readonly warnings: readonly Warning[]
  readonly required_scopes: readonly Scope[]
  readonly uses_ai: boolean
  /** Steps of the longest run. */
  readonly steps_max: number
}

export function validateGraph(value: unknown, known: Known): Validation {
  const shape = shapeOf(value)
  const graph = isRecord(value) ? value : {}
  const ids = listOf(graph.nodes).map((node) => (isRecord(node) ? node.id : undefined))
  // What is too large is not looked at as a whole, which takes more than a time proportional to its size.
  const large = ids.length > limits.automation_nodes_max || listOf(graph.edges).length > limits.automation_edges_max
  const sketch = large ? sketchOf({}) : sketchOf(graph)
  const { faults: expressionFaults, uses } = checkExpressions(sketch, placedIn(sketch, shape.computed))
  const faults = [...shape.faults]
  if (!large) faults.push(...structureFaults(sketch, ids))
  faults.push(...expressionFaults, ...subjectFaults(sketch))
  for (const node of sketch.nodes) faults.push(...configFaults(node, known))
  const clean = faults.length === 0
  return {
    faults: inOrder(faults).slice(0, limits.automation_faults_max),
    graph: clean ? (value as Graph) : null,
    references: shape.references,
    warnings: clean ? warningsOf(sketch, uses) : [],
    required_scopes: requiredScopes(sketch),
    uses_ai: usesAi(sketch),
    steps_max: longestWalk(sketch),
  }
}

interface Shape {
  readonly faults: readonly Fault[]
  readonly references: readonly Reference[]
  /** What is computed, by the node's place in the array. */
  readonly computed: readonly (readonly Computed[])[]
}

function shapeOf(value: unknown): Shape {
  const found = noFindings()
  look(outline, value, 'graph', found)
  const nodes = listOf(isRecord(value) ? value.nodes : undefined)
  const computed = nodes.map((node, i) => lookNode(node, `graph.nodes[${i}]`, found))
  return { faults: found.faults, references: found.references, computed }
}

function placedIn(sketch: Sketch, computed: Shape['computed']): Placed[] {
  return sketch.nodes.flatMap((node) => (computed[node.index] ?? []).map((one) => ({ ...one, node })))
}

/** The graph without what its nodes say, which depends on their types. */
const outline: Schema = {
  type: 'object',
  required: ['schema_version', 'nodes', 'edges'],
  additionalProperties: false,
  properties: {
    schema_version: { const: 1 },
    nodes: { type: 'array', minItems: 2, maxItems: limits.automation_nodes_max, items: { type: 'object' } } as Schema,
    edges: { type: 'array', minItems: 1, maxItems: limits.automation_edges_max, items: Edge } as Schema,
    settings: Settings as Schema,
  },
}

/** What one node computes; its faults and references are added to `found`. */
function lookNode(node: unknown, path: string, found: Findings): readonly Computed[] {
  const inside = noFindings()
  if (isRecord(node)) {
    if (isNodeType(node.type)) look(nodeSchemas[node.type] as Schema, node, path, inside)
    else inside.faults.push(typeFault(node, path))
  }
  found.faults.push(...inside.faults)
  found.references.push(...inside.references)
  return inside.computed
}

function typeFault(node: Record<string, unknown>, path: string): Fault {
  const param = at(path, 'type')
  if (node.type === undefined) return { param, message: `${param} is required.` }
  return { param, message: `${param} must be one of ${Object.keys(nodeSchemas).join(', ')}.` }
}

/** Steps that act on the run's own task where no run has one. */
function subjectFaults(sketch: Sketch): Fault[] {
  if (beginnings(sketch).task !== 'never') return []
  return sketch.nodes.filter(actsOnSubject).map(({ path }) => {
    const param = at(path, 'config.task')
    return { param, message: `${param} is required: what starts the flow is about no task.` }
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** By their place in the graph: what is about all first, then node by node, then edge by edge. */
export function inOrder(faults: readonly Fault[]): readonly Fault[] {
  const place = ({ param }: Fault): number => {
    const found = /^graph\.(nodes|edges)\[(\d+)\]/.exec(param)
    if (found === null) return -1
    return Number(found[2]) + (found[1] === 'edges' ? 1e9 : 0)
  }
  return faults.toSorted((a, b) => place(a) - place(b))
}

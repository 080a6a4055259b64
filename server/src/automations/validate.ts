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
import { at, type Findings, isRecord, look, noFindings, type Reference, type Schema } from './shape.ts'
import { type Sketch, sketchOf } from './sketch.ts'
import { actsOnSubject, beginnings } from './triggers.ts'
import { configFaults, type Known } from './validate-config.ts'
import { checkExpressions, type Placed, type Use } from './validate-expressions.ts'
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
  const { faults: shapeFaults, references, placed, sketch } = shapeOf(value)
  const faults = [...shapeFaults]
  let uses: readonly Use[] = []
  if (sketch.nodes.length <= limits.automation_nodes_max) {
    const checked = checkExpressions(sketch, placed)
    uses = checked.uses
    faults.push(...structureFaults(sketch, idsOf(value)), ...checked.faults, ...subjectFaults(sketch))
    for (const node of sketch.nodes) faults.push(...configFaults(node, known))
  }
  const clean = faults.length === 0
  return {
    faults: inOrder(faults).slice(0, limits.automation_faults_max),
    graph: clean ? (value as Graph) : null,
    references,
    warnings: clean ? warningsOf(sketch, uses) : [],
    required_scopes: requiredScopes(sketch),
    uses_ai: usesAi(sketch),
    steps_max: longestWalk(sketch),
  }
}

interface Shape {
  readonly faults: readonly Fault[]
  readonly references: readonly Reference[]
  readonly placed: readonly Placed[]
  readonly sketch: Sketch
}

function shapeOf(value: unknown): Shape {
  const found = noFindings()
  look(outline, value, 'graph', found)
  const graph = isRecord(value) ? value : {}
  const sketch = sketchOf(graph)
  const placed: Placed[] = []
  for (const [i, node] of listOf(graph.nodes).entries()) {
    const inside = lookNode(node, `graph.nodes[${i}]`, found)
    const sketched = sketch.nodes.find(({ index }) => index === i)
    if (sketched !== undefined) placed.push(...inside.computed.map((one) => ({ ...one, node: sketched })))
  }
  return { faults: found.faults, references: found.references, placed, sketch }
}

/** The graph without what its nodes say, which depends on their types. */
const outline: Schema = {
  type: 'object',
  required: ['schema_version', 'nodes', 'edges'],
  additionalProperties: false,
  properties: {
    schema_version: { const: 1 },
    nodes: { type: 'array', minItems: 2, maxItems: limits.automation_nodes_max, items: { type: 'object' } } as Schema,
    edges: { type: 'array', minItems: 1, maxItems: 200, items: Edge } as Schema,
    settings: Settings as Schema,
  },
}

/** What is to be said of one node; its faults and references are added to `found`. */
function lookNode(node: unknown, path: string, found: Findings): Findings {
  const inside = noFindings()
  if (isRecord(node)) {
    if (isNodeType(node.type)) look(nodeSchemas[node.type] as Schema, node, path, inside)
    else inside.faults.push(typeFault(node, path))
  }
  found.faults.push(...inside.faults)
  found.references.push(...inside.references)
  return inside
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

function idsOf(value: unknown): readonly unknown[] {
  return listOf(isRecord(value) ? value.nodes : undefined).map((node) => (isRecord(node) ? node.id : undefined))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** By their place in the graph: what is about all first, then node by node, then edge by edge. */
function inOrder(faults: readonly Fault[]): readonly Fault[] {
  const place = ({ param }: Fault): number => {
    const found = /^graph\.(nodes|edges)\[(\d+)\]/.exec(param)
    if (found === null) return -1
    return Number(found[2]) + (found[1] === 'edges' ? 1e9 : 0)
  }
  return faults.toSorted((a, b) => place(a) - place(b))
}

/**
 * Validates an automation graph and reports all faults at once, each with its path (contract/16#validation). The caller
 * looks up the returned references in the database and passes in the facts this folder does not import.
 */
import type { Fault } from '../api/declare/errors.ts'
import type { Scope } from '../api/declare/scopes.ts'
import type { Known } from './known.ts'
import { automation_limits } from './limits.ts'
import { longestWalk } from './order.ts'
import { requiredScopes, usesAi } from './required-scopes.ts'
import {
  Edge,
  type Graph,
  isNodeType,
  type NodeType,
  Settings,
  schema_versions,
  versionOfNode,
  versionOfType,
} from './schema.ts'
import { nodeSchemas } from './schema-nodes.ts'
import {
  at,
  type Computed,
  checkShape,
  type Findings,
  isRecord,
  noFindings,
  type Reference,
  type Schema,
} from './shape.ts'
import { type Sketch, sketchOf } from './sketch.ts'
import { beginnings, subjectSetting } from './triggers.ts'
import { configFaults } from './validate/config.ts'
import { checkExpressions, type Placed } from './validate/expressions.ts'
import { structureFaults } from './validate/structure.ts'
import { type Warning, warningsOf } from './warnings.ts'

export interface Validation {
  /** In the order of the graph, at most `automation_faults_max`; empty if the graph is valid. */
  readonly faults: readonly Fault[]
  /** The graph if it is valid. */
  readonly graph: Graph | null
  /** The objects that the graph refers to, for the caller to look up. */
  readonly references: readonly Reference[]
  readonly warnings: readonly Warning[]
  readonly required_scopes: readonly Scope[]
  readonly uses_ai: boolean
  /** The number of steps in the longest run. */
  readonly steps_max: number
}

export function validateGraph(value: unknown, known: Known): Validation {
  const shape = shapeOf(value)
  const graph = isRecord(value) ? value : {}
  const ids = listOf(graph.nodes).map((node) => (isRecord(node) ? node.id : undefined))
  // A graph above the limits is not checked as a whole, because that takes more than linear time.
  const large =
    ids.length > automation_limits.automation_nodes_max ||
    listOf(graph.edges).length > automation_limits.automation_edges_max
  const sketch = large ? sketchOf({}) : sketchOf(graph)
  const { faults: expressionFaults, uses } = checkExpressions(sketch, placedIn(sketch, shape.computed))
  const faults = [...shape.faults]
  if (!large) faults.push(...structureFaults(sketch, ids))
  faults.push(...expressionFaults, ...subjectFaults(sketch))
  for (const node of sketch.nodes) faults.push(...configFaults(node, known))
  const clean = faults.length === 0
  return {
    faults: inOrder(faults).slice(0, automation_limits.automation_faults_max),
    graph: clean ? (value as Graph) : null,
    references: shape.references,
    warnings: clean ? warningsOf(sketch, uses) : [],
    required_scopes: requiredScopes(sketch, known),
    uses_ai: usesAi(sketch),
    steps_max: longestWalk(sketch),
  }
}

interface Shape {
  readonly faults: readonly Fault[]
  readonly references: readonly Reference[]
  /** The computed values by the node's index in the array. */
  readonly computed: readonly (readonly Computed[])[]
}

function shapeOf(value: unknown): Shape {
  const found = noFindings()
  checkShape(outline, value, 'graph', found)
  const nodes = listOf(isRecord(value) ? value.nodes : undefined)
  const version = isRecord(value) ? value.schema_version : undefined
  const computed = nodes.map((node, i) => lookNode(node, `graph.nodes[${i}]`, version, found))
  return { faults: found.faults, references: found.references, computed }
}

/** The expression at a path of a graph, such as `graph.nodes[1].config.expr`; undefined if the path has no expression. */
export function expressionAt(node: unknown, nodePath: string, path: string): Computed | undefined {
  const computed = lookNode(node, nodePath, undefined, noFindings())
  return computed.find(
    (one) => one.form === 'expression' && one.path.replace(/\.\$expr$/, '') === path.replace(/\.\$expr$/, ''),
  )
}

function placedIn(sketch: Sketch, computed: Shape['computed']): Placed[] {
  return sketch.nodes.flatMap((node) => (computed[node.index] ?? []).map((one) => ({ ...one, node })))
}

/** The graph without the nodes' fields, which depend on their types. */
const outline: Schema = {
  type: 'object',
  required: ['schema_version', 'nodes', 'edges'],
  additionalProperties: false,
  properties: {
    schema_version: {
      anyOf: schema_versions.map((version) => ({ const: version })),
    },
    nodes: {
      type: 'array',
      minItems: 2,
      maxItems: automation_limits.automation_nodes_max,
      items: { type: 'object' },
    } as Schema,
    edges: { type: 'array', minItems: 1, maxItems: automation_limits.automation_edges_max, items: Edge } as Schema,
    settings: Settings as Schema,
  },
}

/** The computed values of one node; its faults and references are added to `found`. */
function lookNode(node: unknown, path: string, version: unknown, found: Findings): readonly Computed[] {
  const inside = noFindings()
  if (isRecord(node)) {
    if (isNodeType(node.type)) {
      const { type } = node
      if (isOlder(version, versionOfType(type))) inside.faults.push(versionFault(type, path))
      else if (isOlder(version, versionOfNode({ ...node, type }))) inside.faults.push(outputFault(path))
      checkShape(nodeSchemas[node.type] as Schema, node, path, inside)
    } else inside.faults.push(typeFault(node, path))
  }
  found.faults.push(...inside.faults)
  found.references.push(...inside.references)
  return inside.computed
}

function isOlder(version: unknown, needed: number): boolean {
  return typeof version === 'number' && version >= 1 && version < needed
}

/** A field that an older version of the format does not know. */
function outputFault(path: string): Fault {
  const param = at(path, 'config.output')
  return {
    param,
    message: `${param} requires schema_version ${versionOfNode({ type: 'stop', config: { output: null } })}.`,
  }
}

function versionFault(type: NodeType, path: string): Fault {
  const param = at(path, 'type')
  return { param, message: `${param} "${type}" requires schema_version ${versionOfType(type)}.` }
}

function typeFault(node: Record<string, unknown>, path: string): Fault {
  const param = at(path, 'type')
  if (node.type === undefined) return { param, message: `${param} is required.` }
  return { param, message: `${param} must be one of ${Object.keys(nodeSchemas).join(', ')}.` }
}

/** Steps that act on the run's own task although no run has one. */
function subjectFaults(sketch: Sketch): Fault[] {
  if (beginnings(sketch).task !== 'never') return []
  return sketch.nodes.flatMap((node) => {
    const setting = subjectSetting(node)
    if (setting === null) return []
    const param = at(node.path, `config.${setting}`)
    // A parent may also be left out.
    const what = setting === 'task' ? 'is required' : 'must not be $subject'
    return [{ param, message: `${param} ${what}, because no trigger of the flow has a task.` }]
  })
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Sorted by position: faults of the whole graph, then nodes, then edges. */
export function inOrder(faults: readonly Fault[]): readonly Fault[] {
  const place = ({ param }: Fault): number => {
    const found = /^graph\.(nodes|edges)\[(\d+)\]/.exec(param)
    if (found === null) return -1
    return Number(found[2]) + (found[1] === 'edges' ? 1e9 : 0)
  }
  return faults.toSorted((a, b) => place(a) - place(b))
}

/** An automation graph as it is written, version 1: flat nodes, edges between their ports, settings (decisions §16). */
import Type, { type Static, type TSchema } from 'typebox'
import { document_name, OneOf } from '../api/shapes.ts'
import { limits } from '../lib/limits.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { closed, type Expression as ExpressionSchema, NodeId } from './schema-values.ts'

export const Edge = Type.Object(
  {
    source: NodeId,
    port: Type.Optional(Type.String({ pattern: '^(out|true|false|error|default|[a-z][a-z0-9_]{0,39})$' })),
    target: NodeId,
  },
  { ...closed, [document_name]: 'AutomationEdge' },
)

export const Settings = Type.Object(
  {
    concurrency: Type.Optional(
      Type.Object(
        {
          scope: Type.Optional(OneOf('task', 'flow')),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
          on_conflict: Type.Optional(OneOf('queue', 'skip', 'cancel_previous')),
        },
        closed,
      ),
    ),
    max_runs_per_hour: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
    debounce_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 3600 })),
    run_timeout_seconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 7_776_000 })),
    allow_reentry: Type.Optional(Type.Boolean()),
    pause_after_failures: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    ai_budget_minor_per_day: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { ...closed, [document_name]: 'AutomationSettings' },
)

const AnyNode = Type.Union(Object.values(nodeSchemas) as TSchema[], { [document_name]: 'AutomationNode' })

/** The whole graph, for documents; validate.ts says what is wrong with one. */
export const GraphSchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    nodes: Type.Array(AnyNode, { minItems: 2, maxItems: limits.automation_nodes_max }),
    edges: Type.Array(Edge, { minItems: 1, maxItems: limits.automation_edges_max }),
    settings: Type.Optional(Settings),
  },
  { ...closed, [document_name]: 'AutomationGraph' },
)

export type NodeType = keyof typeof nodeSchemas
export type NodeOf<T extends NodeType> = Static<(typeof nodeSchemas)[T]>
export type Node = { [T in NodeType]: NodeOf<T> }[NodeType]
export type TriggerType = Extract<NodeType, `trigger.${string}`>
export type StepType = Exclude<NodeType, TriggerType>
export type TriggerNode = NodeOf<TriggerType>
/** A node that a run goes through: all but the triggers. */
export type StepNode = NodeOf<StepType>
/** A node that does something and may fail. */
export type ActionNode = Extract<Node, { on_error?: unknown }>
export type Edge = Static<typeof Edge>
export type Settings = Static<typeof Settings>
export type Expression = Static<typeof ExpressionSchema>

export interface Graph {
  readonly schema_version: 1
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
  readonly settings?: Settings
}

export function isNodeType(type: unknown): type is NodeType {
  return typeof type === 'string' && Object.hasOwn(nodeSchemas, type)
}

export function isTrigger(node: Node): node is TriggerNode {
  return node.type.startsWith('trigger.')
}

/** What a run falls back on where the graph sets nothing (decisions §16). */
export const default_settings = {
  concurrency: { scope: 'task', limit: 1, on_conflict: 'queue' },
  max_runs_per_hour: 200,
  debounce_seconds: 0,
  run_timeout_seconds: 30 * 86_400,
  allow_reentry: false,
  pause_after_failures: 10,
} as const satisfies Settings

/** What an action falls back on where its node sets nothing (decisions §16). */
export const default_retry = {
  max_attempts: 5,
  initial_seconds: 5,
  backoff: 2,
  max_seconds: 900,
  jitter: 'full',
} as const

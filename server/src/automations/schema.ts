/**
 * The schema of an automation graph, versions 1 to 8: flat nodes, edges between their ports, settings (contract/16#graph).
 */
import Type, { type Static, type TSchema } from 'typebox'
import { described, document_name, OneOf } from '../api/declare/shapes.ts'
import { automation_limits } from './limits.ts'
import { nodeSchemas } from './schema-nodes.ts'
import { closed, type Expression as ExpressionSchema, NodeId, optional } from './schema-values.ts'

export const Edge = Type.Object(
  {
    source: described(NodeId, 'Node that the edge leaves.'),
    port: optional(
      Type.String({ pattern: '^(out|true|false|error|default|[a-z][a-z0-9_]{0,39})$' }),
      'Port by which the edge leaves; `out` by default, `true` for a condition.',
    ),
    target: described(NodeId, 'Node that the edge leads to.'),
  },
  { ...closed, [document_name]: 'AutomationEdge' },
)

export const Settings = Type.Object(
  {
    concurrency: optional(
      Type.Object(
        {
          scope: optional(
            OneOf('task', 'flow'),
            'Whether the limit holds per task or for the whole flow; `task` by default.',
          ),
          limit: optional(Type.Integer({ minimum: 1, maximum: 20 }), 'Most runs at the same time; 1 by default.'),
          on_conflict: optional(
            OneOf('queue', 'skip', 'cancel_previous'),
            'What happens to a run above the limit; `queue` by default.',
          ),
        },
        closed,
      ),
      'How many runs may be open at the same time.',
    ),
    max_runs_per_hour: optional(
      Type.Integer({ minimum: 1, maximum: 3600 }),
      'Further runs of the hour are skipped; 200 by default.',
    ),
    debounce_seconds: optional(
      Type.Integer({ minimum: 0, maximum: 3600 }),
      'Seconds without further events of the task before a run starts; 0 by default.',
    ),
    run_timeout_seconds: optional(
      Type.Integer({ minimum: 60, maximum: 7_776_000 }),
      'Seconds after which a run fails; 30 days by default.',
    ),
    allow_reentry: optional(Type.Boolean(), 'Whether changes by the flow may start it again; false by default.'),
    pause_after_failures: optional(
      Type.Integer({ minimum: 1, maximum: 100 }),
      'Failed runs in a row after which the flow is paused; 10 by default.',
    ),
    ai_budget_minor_per_day: optional(
      Type.Integer({ minimum: 0 }),
      'Daily limit for AI steps in minor units; the limit of the organization by default.',
    ),
  },
  { ...closed, [document_name]: 'AutomationSettings' },
)

const AnyNode = Type.Union(Object.values(nodeSchemas) as TSchema[], { [document_name]: 'AutomationNode' })

/** Each version adds to the one before. */
export const schema_versions = [1, 2, 3, 4, 5, 6, 7, 8] as const

/** The whole graph, for documents. validate.ts checks graphs and reports faults. */
export const GraphSchema = Type.Object(
  {
    schema_version: described(
      Type.Union(schema_versions.map((version) => Type.Literal(version))),
      'Version of the graph format: 1, at least 2 for a graph with `chat.post`, 3 for one with `trigger.webhook`, 4 for one with `approval.wait` or `mail.send`, 5 for one with `trigger.form`, 6 for one with `trigger.mail`, 7 for one with `trigger.call`, `flow.call` or an `output` of a `stop`, 8 for one with `task.create_many`, `task.update_many` or `task.update_parent`.',
    ),
    nodes: Type.Array(AnyNode, {
      minItems: 2,
      maxItems: automation_limits.automation_nodes_max,
      description: 'Triggers and steps, in any order; at least one of each.',
    }),
    edges: Type.Array(Edge, {
      minItems: 1,
      maxItems: automation_limits.automation_edges_max,
      description: 'Connections from a port of one node to another node, without cycles.',
    }),
    settings: optional(Settings, 'Limits of the runs; each has a default.'),
  },
  { ...closed, [document_name]: 'AutomationGraph' },
)

export type NodeType = keyof typeof nodeSchemas
export type NodeOf<T extends NodeType> = Static<(typeof nodeSchemas)[T]>
export type Node = { [T in NodeType]: NodeOf<T> }[NodeType]
type TriggerType = Extract<NodeType, `trigger.${string}`>
export type StepType = Exclude<NodeType, TriggerType>
export type TriggerNode = NodeOf<TriggerType>
/** A node that a run executes: any node but a trigger. */
export type StepNode = NodeOf<StepType>
export type Edge = Static<typeof Edge>
export type Settings = Static<typeof Settings>
export type Expression = Static<typeof ExpressionSchema>

export interface Graph {
  readonly schema_version: (typeof schema_versions)[number]
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
  readonly settings?: Settings
}

export function isNodeType(type: unknown): type is NodeType {
  return typeof type === 'string' && Object.hasOwn(nodeSchemas, type)
}

/**
 * The first version of the graph format that knows a node type. A new type raises the version, so a graph of an older
 * version keeps its meaning and its hash.
 */
export function versionOfType(type: NodeType): Graph['schema_version'] {
  if (type === 'task.create_many' || type === 'task.update_many' || type === 'task.update_parent') return 8
  if (type === 'trigger.call' || type === 'flow.call') return 7
  if (type === 'trigger.mail') return 6
  if (type === 'trigger.form') return 5
  if (type === 'approval.wait' || type === 'mail.send') return 4
  if (type === 'trigger.webhook') return 3
  return type === 'chat.post' ? 2 : 1
}

/** The version that a node requires: fields that were added to its type raise it, too. */
export function versionOfNode(node: { readonly type: NodeType; readonly config?: unknown }): Graph['schema_version'] {
  const { type, config } = node
  const returns = type === 'stop' && typeof config === 'object' && config !== null && Object.hasOwn(config, 'output')
  return returns ? 7 : versionOfType(type)
}

export function isTrigger(node: Node): node is TriggerNode {
  return node.type.startsWith('trigger.')
}

/** The defaults of a graph's settings (contract/16#settings). */
export const default_settings = {
  concurrency: { scope: 'task', limit: 1, on_conflict: 'queue' },
  max_runs_per_hour: 200,
  debounce_seconds: 0,
  run_timeout_seconds: 30 * 86_400,
  allow_reentry: false,
  pause_after_failures: 10,
} as const satisfies Settings

/** The defaults of an action's `retry` (contract/16#settings). */
export const default_retry = {
  max_attempts: 5,
  initial_seconds: 5,
  backoff: 2,
  max_seconds: 900,
  jitter: 'full',
} as const

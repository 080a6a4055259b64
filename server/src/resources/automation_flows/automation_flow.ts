/**
 * The automation flow: a graph, drafted, previewed, activated, paused (decisions §16). What runs leave on it (last run,
 * failures in a row) is no change of the flow: it raises no revision and emits nothing.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, Flag, head, Id, Nullable, OneOf, Revision, Seconds, shown_as, Title } from '../../api/shapes.ts'
import { GraphSchema } from '../../automations/schema.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const flow_modes = ['live', 'shadow'] as const

/**
 * A graph as a request brings it. That it is an object is all that is asked of it here: what is wrong inside is told by
 * graph-check.ts, all at once.
 */
export const GraphSent = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'A graph: nodes, edges and settings, as in the `graph` of a flow.',
  [shown_as]: GraphSchema,
} as object)

export const AutomationFlow = Type.Object({
  ...head('automation_flow'),
  workspace: Id,
  project: Nullable(Id),
  name: Title,
  graph: GraphSchema,
  graph_hash: Type.String(),
  status: OneOf('draft', 'active', 'paused'),
  mode: OneOf(...flow_modes),
  version: Type.Integer({ minimum: 0, description: 'Rises by one at each activation.' }),
  required_scopes: Type.Array(Type.String()),
  uses_ai: Flag,
  activated_at: Nullable(Seconds),
  activated_by: Nullable(Actor),
  paused_at: Nullable(Seconds),
  pause_reason: Nullable(Type.String()),
  pause_origin: Nullable(OneOf('user', 'system')),
  last_run_at: Nullable(Seconds),
  revision: Revision,
})

export type AutomationFlow = Static<typeof AutomationFlow>

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

export function showAutomationFlow(row: AutomationFlowRow): AutomationFlow {
  return {
    id: row.id,
    object: 'automation_flow',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    name: row.name,
    graph: JSON.parse(row.graph) as AutomationFlow['graph'],
    graph_hash: row.graph_hash,
    status: row.status as AutomationFlow['status'],
    mode: row.mode as AutomationFlow['mode'],
    version: row.version,
    required_scopes: JSON.parse(row.required_scopes) as string[],
    uses_ai: row.uses_ai === 1,
    activated_at: whole(row.activated_at),
    activated_by:
      row.activated_by_type === null || row.activated_by_id === null
        ? null
        : { type: row.activated_by_type, id: row.activated_by_id },
    paused_at: whole(row.paused_at),
    pause_reason: row.pause_reason,
    pause_origin: row.pause_origin as AutomationFlow['pause_origin'],
    last_run_at: whole(row.last_run_at),
    revision: row.revision,
  }
}

export const automationFlowNoun = noun({
  object: 'automation_flow',
  prefix: 'flow',
  table: 'automation_flows',
  schema: AutomationFlow,
  readScope: 'automations:read',
  show: showAutomationFlow,
})

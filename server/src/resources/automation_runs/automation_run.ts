/**
 * The automation run: queued → running → (sleeping | retrying ⇄ running) → succeeded | failed | canceled; queued → skipped
 * (decisions §16). It explains itself by its journal, of which the last steps are shown.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, head, Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import type { AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import { flow_modes } from '../automation_flows/automation_flow.ts'

const open_statuses = ['queued', 'running', 'sleeping', 'retrying'] as const
const run_statuses = [...open_statuses, 'succeeded', 'failed', 'canceled', 'skipped'] as const

/** One thing that a step changed. Of what was created `fields` holds what it was created with. */
export const Change = Type.Object({
  type: Type.String({ description: 'The type of the event that tells of it.' }),
  object: Type.String(),
  id: Type.String(),
  fields: Type.Record(Type.String(), Type.Object({ from: Type.Unknown(), to: Type.Unknown() })),
})

export type Change = Static<typeof Change>

const Failure = Type.Object({ code: Type.String(), message: Type.String(), node: Nullable(Type.String()) })

const Step = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  node: Type.String(),
  path: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Numbers of the items of the loops around it.' }),
  status: OneOf('succeeded', 'failed', 'skipped'),
  reason: Nullable(Type.String()),
  port: Nullable(Type.String()),
  changes: Type.Array(Change),
  failure: Nullable(Failure),
  attempts: Type.Integer({ minimum: 0 }),
  started_at: Seconds,
  ended_at: Seconds,
})

const Usage = Type.Object({
  steps: Type.Integer({ minimum: 0 }),
  http_requests: Type.Integer({ minimum: 0 }),
  ai_requests: Type.Integer({ minimum: 0 }),
  ai_input_tokens: Type.Integer({ minimum: 0 }),
  ai_output_tokens: Type.Integer({ minimum: 0 }),
  ai_cost_minor: Type.Number({ minimum: 0 }),
})

export const AutomationRun = Type.Object({
  ...head('automation_run'),
  workspace: Id,
  automation_flow: Id,
  flow_version: Type.Integer({ minimum: 1 }),
  mode: OneOf(...flow_modes),
  task: Nullable(Id),
  trigger: Type.Object({ type: Type.String(), node: Type.String(), event: Nullable(Id) }),
  status: OneOf(...run_statuses),
  status_reason: Nullable(Type.String()),
  current_node: Nullable(Type.String()),
  attempt: Type.Integer({ minimum: 0 }),
  wake_at: Nullable(Seconds),
  started_at: Nullable(Seconds),
  ended_at: Nullable(Seconds),
  canceled_by: Nullable(Actor),
  depth: Type.Integer({ minimum: 0 }),
  usage: Usage,
  failure: Nullable(Failure),
  steps: Type.Array(Step, { maxItems: limits.automation_run_steps_max }),
})

export type AutomationRun = Static<typeof AutomationRun>

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** The run with the given entries of its journal, in their order: the last ones, at most `automation_run_steps_max`. */
export function showAutomationRun(row: AutomationRunRow, steps: readonly AutomationStepRow[] = []): AutomationRun {
  return {
    id: row.id,
    object: 'automation_run',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    automation_flow: row.automation_flow,
    flow_version: row.flow_version,
    mode: row.mode as AutomationRun['mode'],
    task: row.task,
    trigger: { type: row.trigger_type, node: row.trigger_node, event: row.trigger_event },
    status: row.status as AutomationRun['status'],
    status_reason: row.status_reason,
    current_node: row.current_node,
    attempt: row.attempt,
    wake_at: whole(row.wake_at),
    started_at: whole(row.started_at),
    ended_at: whole(row.ended_at),
    canceled_by:
      row.canceled_by_type === null || row.canceled_by_id === null
        ? null
        : { type: row.canceled_by_type, id: row.canceled_by_id },
    depth: row.depth,
    usage: {
      steps: row.steps,
      http_requests: row.http_requests,
      ai_requests: row.ai_requests,
      ai_input_tokens: row.ai_input_tokens,
      ai_output_tokens: row.ai_output_tokens,
      ai_cost_minor: row.ai_cost_micros / 1_000_000,
    },
    failure: row.failure === null ? null : (JSON.parse(row.failure) as AutomationRun['failure']),
    steps: steps.map(showStep),
  }
}

function showStep(row: AutomationStepRow): AutomationRun['steps'][number] {
  return {
    number: row.number,
    node: row.node,
    path: row.path === '' ? [] : row.path.split('.').map(Number),
    status: row.status as 'succeeded',
    reason: row.reason,
    port: row.port,
    changes: JSON.parse(row.changes) as Change[],
    failure: row.failure === null ? null : (JSON.parse(row.failure) as AutomationRun['failure']),
    attempts: row.attempts,
    started_at: seconds(row.started_at),
    ended_at: seconds(row.ended_at),
  }
}

export const automationRunNoun = noun({
  object: 'automation_run',
  prefix: 'run',
  table: 'automation_runs',
  schema: AutomationRun,
  readScope: 'automations:read',
  show: showAutomationRun,
})

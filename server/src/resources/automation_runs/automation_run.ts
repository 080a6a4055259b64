/**
 * The automation run: queued → running → (sleeping | retrying ⇄ running) → succeeded | failed | canceled; queued →
 * skipped (contract/16#run-states). Its journal explains it; the last steps are shown.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { flow_modes } from '../automation_flows/automation_flow.ts'

const open_statuses = ['queued', 'running', 'sleeping', 'retrying'] as const
export const run_statuses = [...open_statuses, 'succeeded', 'failed', 'canceled', 'skipped'] as const

export type RunStatus = (typeof run_statuses)[number]

/** Whether a run in this state has not ended. */
export function isOpenStatus(status: RunStatus): boolean {
  return open_statuses.some((open) => open === status)
}

/** One object that a step changed. For a created object, `fields` holds its initial values. */
export const Change = Type.Object({
  type: Type.String({ description: 'Type of the event that records the change.' }),
  object: described(Type.String(), 'Kind of the changed object, such as `task`.'),
  id: described(Type.String(), 'Id of the changed object.'),
  fields: described(
    Type.Record(
      Type.String(),
      Type.Object({
        from: described(Type.Unknown(), 'Value before the change; null for a new object.'),
        to: described(Type.Unknown(), 'Value after the change.'),
      }),
    ),
    'Changed fields with their values before and after.',
  ),
})

export type Change = Static<typeof Change>

const Failure = Type.Object({
  code: described(Type.String(), 'Code of the failure, to branch on.'),
  message: described(Type.String(), 'The failure as a sentence for people.'),
  node: described(Nullable(Type.String()), 'Node that failed; null if the failure is not of one node.'),
})

/** What a person may correct before a run runs again: what the trigger received, its task, or the settings of one step. */
const corrected_parts = ['request', 'form', 'mail', 'call', 'task', 'step'] as const

const correctedFields = described(
  Type.Array(Type.String()),
  'Names of the corrected fields, such as `body` or `set.title`.',
)

export const Correction = Type.Object({
  part: described(OneOf(...corrected_parts), 'What was corrected: what the trigger received, the task, or one step.'),
  fields: correctedFields,
  by: described(Actor, 'Who corrected it.'),
})

export type Correction = Static<typeof Correction>

const StepCorrection = Type.Object({
  fields: correctedFields,
  by: described(Actor, 'Who corrected them.'),
})

const Step = Type.Object({
  number: described(Type.Integer({ minimum: 1 }), 'Number of the journal entry within the run, from 1.'),
  node: described(Type.String(), 'Id of the node in the graph.'),
  path: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Item numbers of the enclosing loops, outermost first; empty outside loops.',
  }),
  status: described(
    OneOf('succeeded', 'failed', 'skipped'),
    'How the step ended; `skipped` if no edge to it was taken.',
  ),
  reason: described(Nullable(Type.String()), 'Why the step was skipped; null otherwise.'),
  port: described(Nullable(Type.String()), 'Port by which the run left the node; null if it ended here.'),
  changes: described(Type.Array(Change), 'What the step changed.'),
  failure: described(Nullable(Failure), 'Why the step failed; null otherwise.'),
  attempts: described(Type.Integer({ minimum: 0 }), 'Number of attempts, retries included.'),
  started_at: described(Seconds, 'When the step started, in Unix seconds.'),
  ended_at: described(Seconds, 'When the step ended, in Unix seconds.'),
  reused: described(
    Type.Boolean(),
    'Whether the step was taken over from the run in `rerun_of` and not carried out again; its times are those of that run.',
  ),
  correction: described(
    Nullable(StepCorrection),
    'Which settings a person gave in place of those of the graph when the run was repeated; null if none.',
  ),
})

const Usage = Type.Object({
  steps: described(Type.Integer({ minimum: 0 }), 'Number of steps so far.'),
  http_requests: described(Type.Integer({ minimum: 0 }), 'Number of HTTP requests sent.'),
  ai_requests: described(Type.Integer({ minimum: 0 }), 'Number of requests to the AI provider.'),
  ai_input_tokens: described(Type.Integer({ minimum: 0 }), 'Tokens sent to the AI provider.'),
  ai_output_tokens: described(Type.Integer({ minimum: 0 }), 'Tokens received from the AI provider.'),
  ai_cost_minor: described(
    Type.Number({ minimum: 0 }),
    'Cost of the AI steps in minor units of the currency; may have decimals.',
  ),
})

export const AutomationRun = Type.Object({
  ...head('automation_run'),
  workspace: described(Id, 'Workspace of the flow.'),
  automation_flow: described(Id, 'Flow that runs.'),
  flow_version: described(Type.Integer({ minimum: 1 }), 'Version of the flow that the run keeps to.'),
  mode: described(OneOf(...flow_modes), '`live`, or `shadow`: the run only records what it would change.'),
  task: described(Nullable(Id), 'Task that the run is about; null for a schedule without a query.'),
  trigger: described(
    Type.Object({
      type: described(Type.String(), 'Type of the trigger node.'),
      node: described(Type.String(), 'Id of the trigger node.'),
      event: described(Nullable(Id), 'Event that started the run; null for schedules and manual starts.'),
    }),
    'What started the run.',
  ),
  status: described(OneOf(...run_statuses), 'State of the run; the last four values are final.'),
  status_reason: described(Nullable(Type.String()), 'Why the run is in this state; null if there is nothing to say.'),
  current_node: described(
    Nullable(Type.String()),
    'Node that is executed or waited for; null before the first and after the last.',
  ),
  attempt: described(Type.Integer({ minimum: 0 }), 'Attempt of the current step, from 1; 0 before the first.'),
  wake_at: described(
    Nullable(Seconds),
    'When a sleeping or retrying run continues, in Unix seconds; null otherwise, and while it waits for an approval or a called run without a timeout.',
  ),
  started_at: described(Nullable(Seconds), 'When the run started, in Unix seconds; null while it is queued.'),
  ended_at: described(Nullable(Seconds), 'When the run ended, in Unix seconds; null while it is open.'),
  canceled_by: described(Nullable(Actor), 'Who canceled the run; null if it was not canceled.'),
  depth: described(
    Type.Integer({ minimum: 0 }),
    'Number of flows that caused one another before this run; 0 for a direct start.',
  ),
  rerun_of: described(Nullable(Id), 'Run that this run repeats; null if it repeats none. That run may be deleted.'),
  rerun_from: described(
    Nullable(Type.String()),
    'Node from which the run repeats the other one; null from the start, and if it repeats none.',
  ),
  called_by: described(
    Nullable(Id),
    'Run with the `flow.call` that started this run; null if none did. That run may be deleted.',
  ),
  called_by_node: described(Nullable(Type.String()), 'Node of that `flow.call`; null if none started the run.'),
  correction: described(
    Nullable(Correction),
    'What a person corrected of the input of the run in `rerun_of`; null if nothing was corrected.',
  ),
  usage: described(Usage, 'What the run has used so far.'),
  failure: described(Nullable(Failure), 'Why the run failed; null otherwise.'),
  steps: described(
    Type.Array(Step, { maxItems: automation_limits.automation_run_steps_max }),
    'The newest journal entries, in order.',
  ),
})

export type AutomationRun = Static<typeof AutomationRun>

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** Shows a run with the given journal entries, in order: the last ones, at most `automation_run_steps_max`. */
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
    rerun_of: row.rerun_of,
    rerun_from: row.rerun_from,
    called_by: row.called_by,
    called_by_node: row.called_by_node,
    correction: row.correction === null ? null : (JSON.parse(row.correction) as Correction),
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
    reused: row.reused === 1,
    correction: row.correction === null ? null : (JSON.parse(row.correction) as Static<typeof StepCorrection>),
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

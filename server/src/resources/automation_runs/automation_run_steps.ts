/** The latest steps of a run, or of one of its nodes, with what they received and returned (contract/16#run-steps). */
import Type, { type Static } from 'typebox'
import { described, Flag, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import type { AutomationAttemptRow, AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { parseJson } from '../../lib/strict-json.ts'
import { isCut, shownText, withoutCredentials } from './shown-values.ts'
import type { OutsideInputs } from './steps/outside-inputs.ts'

const Minor = Type.Number({ minimum: 0 })

const Attempt = Type.Object({
  attempt: described(Type.Integer({ minimum: 1 }), 'Number of the attempt, from 1.'),
  outcome: described(Nullable(Type.String()), '`succeeded`, the code of the failure, or `unknown`; null under way.'),
  http_status: described(Nullable(Type.Integer()), 'Status of the answer; null without one.'),
  message: described(Nullable(Type.String()), 'The failure as a sentence for people; null without one.'),
  cost_minor: described(Minor, 'Cost of an AI step in minor units; may have decimals. 0 for other calls.'),
  sent_at: described(Seconds, 'When the call was sent, in Unix seconds.'),
  duration_ms: described(
    Nullable(Type.Integer({ minimum: 0 })),
    'Milliseconds to its end; null while it is under way.',
  ),
})

const Step = Type.Object({
  number: described(Type.Integer({ minimum: 1 }), 'Number of the journal entry within the run, from 1.'),
  node: described(Type.String(), 'Id of the node in the graph.'),
  path: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Item numbers of the enclosing loops, outermost first; empty outside loops.',
  }),
  status: described(OneOf('succeeded', 'failed', 'skipped'), 'How the step ended.'),
  port: described(Nullable(Type.String()), 'Port by which the run left the node; null if it ended here.'),
  input: described(
    Nullable(Type.String()),
    'Settings of the step with computed values, as JSON; null for decisions, waits, skipped steps, and steps of earlier releases.',
  ),
  is_input_cut: described(Flag, 'Whether `input` was longer than what is shown.'),
  output: described(Nullable(Type.String()), 'What later steps see of it, as JSON; null without output.'),
  is_output_cut: described(Flag, 'Whether `output` was longer than what is shown.'),
  attempts: described(Type.Array(Attempt), 'Outside calls of the step; empty for steps inside.'),
  cost_minor: described(Minor, 'Cost of all attempts in minor units; may have decimals.'),
  started_at: described(Seconds, 'When the step, or its first attempt, started, in Unix seconds.'),
  duration_ms: described(Type.Integer({ minimum: 0 }), 'Milliseconds from start to end, waits included.'),
})

export const AutomationRunSteps = Type.Object({
  object: described(Type.Literal('automation_run_steps'), 'Kind of object: always `automation_run_steps`.'),
  automation_run: described(Id, 'Run whose steps these are.'),
  steps: described(Type.Array(Step), 'The latest 20 steps, in order.'),
  has_more: described(Flag, 'Whether there are earlier ones.'),
})

export type AutomationRunSteps = Static<typeof AutomationRunSteps>

export interface StepWithAttempts {
  readonly row: AutomationStepRow
  readonly attempts: readonly AutomationAttemptRow[]
}

export function showSteps(
  { id }: Pick<AutomationRunRow, 'id'>,
  steps: readonly StepWithAttempts[],
  has_more: boolean,
): AutomationRunSteps {
  return { object: 'automation_run_steps', automation_run: id, steps: steps.map(showStep), has_more }
}

function showStep({ row, attempts }: StepWithAttempts): AutomationRunSteps['steps'][number] {
  const started_at = startOf(row, attempts)
  const input = row.input ?? sentBy(attempts)
  const output = row.output === null ? null : shownText(parseJson(row.output))
  return {
    number: row.number,
    node: row.node,
    path: row.path === '' ? [] : row.path.split('.').map(Number),
    status: row.status as 'succeeded',
    port: row.port,
    ...{ input, is_input_cut: isCut(input), output, is_output_cut: isCut(output) },
    attempts: attempts.map(showAttempt),
    cost_minor: attempts.reduce((sum, { cost_micros }) => sum + cost_micros, 0) / 1_000_000,
    started_at: seconds(started_at),
    duration_ms: Math.max(0, row.ended_at - started_at),
  }
}

/** A step with several attempts starts with the first; its journal entry has the start of the last one. */
function startOf({ started_at }: AutomationStepRow, [first]: readonly AutomationAttemptRow[]): number {
  return Math.min(started_at, first?.sent_at ?? started_at)
}

/** All attempts of a step send the inputs of the first one. */
function sentBy([first]: readonly AutomationAttemptRow[]): string | null {
  const inputs = JSON.parse(first?.inputs ?? 'null') as Partial<OutsideInputs> | null
  return shownText(inputs?.config)
}

function showAttempt(row: AutomationAttemptRow): AutomationRunSteps['steps'][number]['attempts'][number] {
  return {
    attempt: row.attempt,
    outcome: row.outcome,
    http_status: row.http_status,
    message: withoutCredentials(row.error),
    cost_minor: row.cost_micros / 1_000_000,
    sent_at: seconds(row.sent_at),
    duration_ms: row.ended_at === null ? null : Math.max(0, row.ended_at - row.sent_at),
  }
}

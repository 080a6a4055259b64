/** What the AI steps of a run saw and said, as people see it (contract/16#ai-calls). */
import Type, { type Static } from 'typebox'
import { redactCredentials } from '../../api/declare/credential-format.ts'
import { described, Flag, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import type { AutomationAttemptRow, AutomationRunRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { promptOf } from './steps/ai.ts'
import type { OutsideInputs } from './steps/outside-inputs.ts'

const Minor = Type.Number({ minimum: 0 })

const Call = Type.Object({
  step: described(Type.Integer({ minimum: 1 }), 'Number of the journal entry that the call belongs to.'),
  node: described(Type.String(), 'Id of the node in the graph.'),
  attempt: described(Type.Integer({ minimum: 1 }), 'Number of the attempt, from 1.'),
  operation: described(OneOf('generate', 'classify', 'extract'), 'What the model was asked to do.'),
  instructions: described(Type.String(), 'Instructions as they were sent.'),
  input: described(Type.String(), 'Data as it was sent, in JSON.'),
  redacted: described(
    Type.Array(Type.String()),
    'Where credentials were cut before the prompt was sent: `instructions`, or `input.` and the name of the value.',
  ),
  answer: described(Nullable(Type.String()), 'What the model said; null without an answer, or if none was kept.'),
  check: described(
    OneOf('passed', 'failed', 'none'),
    'Whether the answer is one of the labels or fits the schema; `none` for a text, and without an answer.',
  ),
  outcome: described(
    Nullable(Type.String()),
    '`succeeded`, the code of the failure, or `unknown`; null while the call is under way.',
  ),
  message: described(Nullable(Type.String()), 'The failure as a sentence for people; null without one.'),
  cost_minor: described(
    Minor,
    'Cost in minor units; may have decimals. The reserved amount until the call has ended, or if the provider reports no usage.',
  ),
  sent_at: described(Seconds, 'When the call was sent, in Unix seconds.'),
  ended_at: described(Nullable(Seconds), 'When it ended, in Unix seconds; null while it is under way.'),
})

const Budget = Type.Object({
  organization_minor_per_day: described(Minor, 'Daily budget of an organization, in minor units.'),
  flow_minor_per_day: described(Nullable(Minor), 'Daily budget of the flow; null if its graph sets none.'),
  flow_spent_minor: described(
    Minor,
    'What the flow has spent on the UTC day of the latest call, or today without one; includes what is reserved.',
  ),
})

export const AutomationRunAiCalls = Type.Object({
  object: described(Type.Literal('automation_run_ai_calls'), 'Kind of object: always `automation_run_ai_calls`.'),
  automation_run: described(Id, 'Run whose calls these are.'),
  calls: described(Type.Array(Call), 'Calls of the latest 20 AI steps, in order; each attempt is a call.'),
  has_more: described(Flag, 'Whether there are earlier AI steps.'),
  budget: described(Budget, 'What AI steps may cost.'),
})

export type AutomationRunAiCalls = Static<typeof AutomationRunAiCalls>

interface Bounds {
  readonly has_more: boolean
  /** Minor units. */
  readonly organization: number
  readonly flow: number | null
  readonly spent_micros: number
}

export function showCalls(
  { id }: Pick<AutomationRunRow, 'id'>,
  steps: readonly (readonly AutomationAttemptRow[])[],
  { has_more, organization, flow, spent_micros }: Bounds,
): AutomationRunAiCalls {
  return {
    object: 'automation_run_ai_calls',
    automation_run: id,
    calls: steps.flatMap(showStep),
    has_more,
    budget: {
      organization_minor_per_day: organization,
      flow_minor_per_day: flow,
      flow_spent_minor: Math.max(0, spent_micros) / 1_000_000,
    },
  }
}

/** All attempts of a step send the inputs of the first one. */
function showStep(attempts: readonly AutomationAttemptRow[]): AutomationRunAiCalls['calls'] {
  const inputs = JSON.parse(attempts[0]?.inputs ?? 'null') as OutsideInputs | null
  if (inputs?.type !== 'ai.step') return []
  const { operation } = inputs.config
  const { instructions, input, redacted } = promptOf(inputs.config)
  return attempts.map((row) => ({
    ...{ step: row.step, node: row.node, attempt: row.attempt, operation },
    ...{ instructions, input, redacted: [...redacted] },
    answer: row.answer === null ? null : redactCredentials(row.answer),
    check: checkOf(operation, row),
    outcome: row.outcome,
    message: row.error,
    cost_minor: row.cost_micros / 1_000_000,
    sent_at: seconds(row.sent_at),
    ended_at: row.ended_at === null ? null : seconds(row.ended_at),
  }))
}

function checkOf(operation: string, { outcome }: AutomationAttemptRow): 'passed' | 'failed' | 'none' {
  if (outcome === 'ai_output_invalid') return 'failed'
  return outcome === 'succeeded' && operation !== 'generate' ? 'passed' : 'none'
}

/** What a preview answers: what one run would do about one task, and what activating the flow takes (decisions §16). */
import Type, { type Static } from 'typebox'
import { Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import { Change } from '../automation_runs/automation_run.ts'

const Trigger = Type.Object({
  type: Type.String(),
  node: Type.String(),
  event: Nullable(
    Type.String({ description: 'The type of the event that the preview takes to have started the run.' }),
  ),
  status: OneOf('would_start', 'would_not_start', 'unknown'),
  reason: Nullable(Type.String()),
})

const Step = Type.Object({
  node: Type.String(),
  path: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Numbers of the items of the loops around it.' }),
  status: OneOf('would_run', 'would_skip', 'would_wait', 'unknown'),
  reason: Nullable(Type.String()),
  changes: Type.Array(Change),
})

const Warning = Type.Object({ code: Type.String(), param: Nullable(Type.String()), message: Type.String() })

export const AiCost = Type.Object({
  acknowledgement_required: Type.Boolean({ description: 'Activation needs `ai_cost_acknowledged: true`.' }),
  provider: Type.String(),
  model: Nullable(Type.String()),
  requests_per_run_max: Type.Integer({ minimum: 0, description: 'When every loop is full; retries are not counted.' }),
  output_tokens_per_run_max: Type.Integer({ minimum: 0 }),
  cost_minor_per_run_max: Type.Number({ minimum: 0, description: 'In minor units; 0 where no prices are set.' }),
  budget_minor_per_day: Type.Number({
    minimum: 0,
    description: 'What AI steps may cost a day: the smaller of the ceilings of the organization and of the flow.',
  }),
})

export type AiCost = Static<typeof AiCost>

export const AutomationPreview = Type.Object({
  object: Type.Literal('automation_preview'),
  automation_flow: Id,
  graph_hash: Type.String(),
  task: Id,
  trigger: Trigger,
  steps: Type.Array(Step),
  outcome: Nullable(OneOf('succeeded', 'failed')),
  required_scopes: Type.Array(Type.String()),
  missing_scopes: Type.Array(Type.String({ description: 'Required, and not held by the credential that asks.' })),
  warnings: Type.Array(Warning),
  ai_cost: AiCost,
  matches_last_7_days: Type.Integer({ minimum: 0 }),
  preview_token: Type.String({ description: 'Activates this flow, once, within 15 minutes, by this credential.' }),
  expires_at: Seconds,
})

export type AutomationPreview = Static<typeof AutomationPreview>

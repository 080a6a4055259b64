/** The answer of a preview: what one run would do with one task, and what activation requires (contract/16#preview). */
import Type, { type Static } from 'typebox'
import { described, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import { Change } from '../automation_runs/automation_run.ts'

const Trigger = Type.Object({
  type: described(Type.String(), 'Type of the trigger node.'),
  node: described(Type.String(), 'Id of the trigger node.'),
  event: Nullable(
    Type.String({
      description: 'Type of the event that the preview assumes to have started the run; null for other triggers.',
    }),
  ),
  status: described(
    OneOf('would_start', 'would_not_start', 'unknown'),
    'Whether the event would start a run; `unknown` if that depends on missing data.',
  ),
  reason: described(Nullable(Type.String()), 'Why no run would start; null if one would.'),
})

const Step = Type.Object({
  node: described(Type.String(), 'Id of the node in the graph.'),
  path: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Item numbers of the enclosing loops, outermost first; empty outside loops.',
  }),
  status: described(
    OneOf('would_run', 'would_skip', 'would_wait', 'unknown'),
    'What a run would do with the node; `unknown` if it depends on an answer from outside.',
  ),
  reason: described(Nullable(Type.String()), 'Why the step would be skipped or is unknown; null otherwise.'),
  changes: described(Type.Array(Change), 'What the step would change.'),
})

const Call = Type.Object({
  node: described(Type.String(), 'Id of the `flow.call`.'),
  path: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Item numbers of the loops that enclose it, outermost first; empty outside loops.',
  }),
  parent: described(
    Nullable(Type.Integer({ minimum: 0 })),
    'Index in `calls` of the called flow that has this node; null for a node of the previewed flow.',
  ),
  automation_flow: described(Id, 'Flow that would be called.'),
  steps: described(Type.Array(Step), 'What its nodes would do, in order of execution.'),
  outcome: described(
    Nullable(OneOf('succeeded', 'failed')),
    'How the called run would end; null if that depends on an answer from outside.',
  ),
})

const Warning = Type.Object({
  code: described(Type.String(), 'Code of the warning, to branch on.'),
  param: described(Nullable(Type.String()), 'Path in the graph that the warning is about; null for the whole graph.'),
  message: described(Type.String(), 'The warning as a sentence for people.'),
})

export const AiCost = Type.Object({
  acknowledgement_required: Type.Boolean({ description: 'Whether activation needs `ai_cost_acknowledged: true`.' }),
  provider: described(Type.String(), 'AI provider that the operator configured.'),
  model: described(Nullable(Type.String()), 'Model that the operator configured; null without one.'),
  requests_per_run_max: Type.Integer({
    minimum: 0,
    description: 'Most requests of one run, with every loop full and without retries.',
  }),
  output_tokens_per_run_max: described(Type.Integer({ minimum: 0 }), 'Most tokens that one run can generate.'),
  cost_minor_per_run_max: Type.Number({
    minimum: 0,
    description: 'Highest cost of one run in minor units; 0 without configured prices.',
  }),
  budget_minor_per_day: Type.Number({
    minimum: 0,
    description: 'Daily limit for AI steps in minor units: the lower one of organization and flow.',
  }),
})

export type AiCost = Static<typeof AiCost>

export const AutomationPreview = Type.Object({
  object: described(Type.Literal('automation_preview'), 'Kind of object: always `automation_preview`.'),
  automation_flow: described(Id, 'Flow that was previewed.'),
  graph_hash: described(Type.String(), 'Hash of the previewed graph; the token activates no other.'),
  task: described(Id, 'Task that the preview ran against.'),
  trigger: described(Trigger, 'The trigger that the preview assumes, and whether it would start a run.'),
  steps: described(Type.Array(Step), 'What each node would do, in order of execution.'),
  calls: described(
    Type.Array(Call),
    'The called flows, rehearsed with the permissions of their own, in the order of the calls; those that the run does not wait for are last.',
  ),
  outcome: described(
    Nullable(OneOf('succeeded', 'failed')),
    'How the run would end; null if that depends on an answer from outside.',
  ),
  required_scopes: described(Type.Array(Type.String()), 'Scopes that the steps need.'),
  missing_scopes: described(
    Type.Array(Type.String({ description: 'Scope that is required and not held.' })),
    'Required scopes that the calling credential does not hold.',
  ),
  warnings: described(Type.Array(Warning), 'Likely mistakes that do not prevent activation.'),
  ai_cost: described(AiCost, 'Upper bounds of what AI steps can cost.'),
  matches_last_7_days: described(
    Type.Integer({ minimum: 0 }),
    'Number of events, firings of schedules and due tasks of the last 7 days that would have started a run.',
  ),
  preview_token: Type.String({ description: 'Activates this graph: once, within 15 minutes, with this credential.' }),
  expires_at: described(Seconds, 'When the token expires, in Unix seconds.'),
})

export type AutomationPreview = Static<typeof AutomationPreview>

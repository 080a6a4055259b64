/**
 * The approval: a decision that a run of an automation waits for. pending → approved | rejected | timed_out | canceled; the
 * first decision counts (contract/16#approvals).
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf, Revision, Seconds } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { AutomationApprovalRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const decisions = ['approved', 'rejected'] as const
export const approval_statuses = ['pending', ...decisions, 'timed_out', 'canceled'] as const

export type ApprovalStatus = (typeof approval_statuses)[number]

export const DecisionComment = Type.String({ maxLength: automation_limits.automation_approval_chars_max })

export const AutomationApproval = Type.Object({
  ...head('automation_approval'),
  workspace: described(Id, 'Workspace of the flow.'),
  automation_flow: described(Id, 'Flow that asks.'),
  automation_run: described(Id, 'Run that waits for the decision.'),
  node: described(Type.String(), 'Id of the `approval.wait` in the graph.'),
  path: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'Item numbers of the enclosing loops, outermost first; empty outside loops.',
  }),
  task: described(Nullable(Id), 'Task that the run is about; null if it has none.'),
  asked: described(
    Type.Array(Id, { minItems: 1, maxItems: automation_limits.automation_approvers_max }),
    'User ids of the people who may decide.',
  ),
  text: described(Type.String(), 'What the people decide on.'),
  status: described(
    OneOf(...approval_statuses),
    'State of the approval; `canceled` if the run ended, or if no person who was asked can still decide.',
  ),
  decided_by: described(Nullable(Id), 'User id of the person who decided; null if no person did.'),
  comment: described(Nullable(DecisionComment), 'Comment of the person who decided; null without one.'),
  decided_at: described(
    Nullable(Seconds),
    'When it was decided, timed out or was canceled, in Unix seconds; null while it is pending.',
  ),
  expires_at: described(Nullable(Seconds), 'When it times out, in Unix seconds; null without a timeout.'),
  revision: Revision,
})

export type AutomationApproval = Static<typeof AutomationApproval>

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

export function showAutomationApproval(row: AutomationApprovalRow): AutomationApproval {
  return {
    id: row.id,
    object: 'automation_approval',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    automation_flow: row.automation_flow,
    automation_run: row.automation_run,
    node: row.node,
    path: row.path === '' ? [] : row.path.split('.').map(Number),
    task: row.task,
    asked: JSON.parse(row.asked),
    text: row.text,
    status: row.status as ApprovalStatus,
    decided_by: row.decided_by,
    comment: row.comment,
    decided_at: whole(row.decided_at),
    expires_at: whole(row.expires_at),
    revision: row.revision,
  }
}

export const automationApprovalNoun = noun({
  object: 'automation_approval',
  prefix: 'apr',
  table: 'automation_approvals',
  schema: AutomationApproval,
  readScope: 'automations:read',
  show: showAutomationApproval,
})

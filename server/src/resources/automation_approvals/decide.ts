import Type from 'typebox'
import { actingUser } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, OneOf } from '../../api/declare/shapes.ts'
import type { AutomationApprovalRow } from '../../db/schema.ts'
import {
  AutomationApproval,
  automationApprovalNoun,
  DecisionComment,
  decisions,
  showAutomationApproval,
} from './automation_approval.ts'
import { automationApprovalApproved, automationApprovalRejected } from './events.ts'
import { closeApproval, isAsked, wakeRunOf } from './shared/approvals.ts'

/**
 * Approves or rejects what a run waits for. Only a person who was asked may decide, and the first decision counts: a second one is a
 * conflict. The run continues at once.
 */
export const decideAutomationApproval = writeOperation({
  id: 'automation_approvals.decide',
  method: 'POST',
  path: '/v1/automation_approvals/{id}/decide',
  summary: 'Approve or reject',
  description: 'A key of the organization decides as the API service user, if that user was asked.',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationApprovalNoun,
  body: {
    decision: described(OneOf(...decisions), 'The decision: the port by which the run continues.'),
    comment: described(
      Type.Optional(DecisionComment),
      'Reason, which the run and the other people who were asked see.',
    ),
  },
  returns: AutomationApproval,
  emits: [automationApprovalApproved, automationApprovalRejected],
  example: { params: { id: '{automation_approval}' }, body: { decision: 'approved', comment: 'Within the budget.' } },
  handle({ target, body: { decision, comment }, caller, tx, now, emit }) {
    const user = actingUser(caller)
    if (!isAsked(target, user)) {
      throw refuse('insufficient_scope', { message: 'Only the people who were asked may decide on this approval.' })
    }
    if (target.status !== 'pending') throw refuse('resource_conflict', { message: whyClosed(target) })
    // White space alone is no comment.
    const said = comment === undefined || comment.trim() === '' ? null : comment
    const decided = closeApproval({ tx, now, emit }, target, decision, { decided_by: user, comment: said })
    wakeRunOf(tx, decided, now)
    return showAutomationApproval(decided)
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('automations'),
})

function whyClosed({ status, decided_by }: AutomationApprovalRow): string {
  if (status === 'timed_out') return 'The approval has timed out.'
  if (status === 'canceled') return 'The approval was canceled: its run no longer waits for it.'
  return `The approval is already ${status}, by ${decided_by}.`
}

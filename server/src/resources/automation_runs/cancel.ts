import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id } from '../../api/declare/shapes.ts'
import { automationApprovalCanceled } from '../automation_approvals/events.ts'
import { AutomationRun, automationRunNoun, showAutomationRun } from './automation_run.ts'
import { cancelRun, isOpen } from './end-run.ts'
import { automationRunCanceled } from './events.ts'
import { journalOf } from './queries.ts'

/** Cancels an open run at once: no further step starts, and the changes of finished steps stay. */
export const cancelAutomationRun = writeOperation({
  id: 'automation_runs.cancel',
  method: 'POST',
  path: '/v1/automation_runs/{id}/cancel',
  summary: 'Cancel an automation run',
  description:
    'An outside call in progress cannot be recalled; `failure.code` is then `outcome_unknown` and `failure.node` its step.',
  scope: 'automations:write',
  credits: 10,
  target: automationRunNoun,
  body: { workspace: Id },
  returns: AutomationRun,
  emits: [automationRunCanceled, automationApprovalCanceled],
  example: { params: { id: '{automation_run}' }, body: { workspace: '{workspace}' } },
  async handle({ target, caller, tx, now, emit }) {
    if (!isOpen(target)) throw refuse('resource_conflict', { message: `The run has ended: it is ${target.status}.` })
    const canceled = await cancelRun({ tx, now, emit }, target, { by: caller.owner })
    return showAutomationRun(canceled, await journalOf(tx, canceled))
  },
})

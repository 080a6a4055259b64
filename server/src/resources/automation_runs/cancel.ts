import { refuse } from '../../api/errors.ts'
import { writeOperation } from '../../api/operation.ts'
import { Id } from '../../api/shapes.ts'
import { AutomationRun, automationRunNoun, showAutomationRun } from './automation_run.ts'
import { automationRunCanceled } from './events.ts'
import { journalOf } from './queries.ts'
import { cancelRun, isOpen } from './queries-end.ts'

/** Cancels a run that has not ended, at once: no step of it begins any more, and what its steps did stays done. */
export const cancelAutomationRun = writeOperation({
  id: 'automation_runs.cancel',
  method: 'POST',
  path: '/v1/automation_runs/{id}/cancel',
  summary: 'Cancel an automation run',
  description:
    'A request to the outside that was under way cannot be called back: `failure` then says `outcome_unknown` and names its step.',
  scope: 'automations:write',
  credits: 10,
  target: automationRunNoun,
  body: { workspace: Id },
  returns: AutomationRun,
  emits: [automationRunCanceled],
  example: { params: { id: '{automation_run}' }, body: { workspace: '{workspace}' } },
  async handle({ target, caller, tx, now, emit }) {
    if (!isOpen(target)) throw refuse('resource_conflict', { message: `The run has ended: it is ${target.status}.` })
    const canceled = await cancelRun({ tx, now, emit }, target, { by: caller.owner })
    return showAutomationRun(canceled, await journalOf(tx, canceled))
  },
})

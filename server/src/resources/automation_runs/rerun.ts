import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, OneOf } from '../../api/declare/shapes.ts'
import { automationApprovalCanceled } from '../automation_approvals/events.ts'
import { AutomationRun, automationRunNoun, showAutomationRun } from './automation_run.ts'
import { automationRunCanceled, automationRunQueued, automationRunSkipped } from './events.ts'
import { journalOf } from './queries.ts'
import { corrections } from './reruns/input.ts'
import { startRerun } from './reruns/start.ts'
import { SentStepInput } from './reruns/step-input.ts'

/**
 * Runs a succeeded, failed or canceled run again and returns the new run. It starts from the trigger, with what the run received or with
 * corrections; or from a step, with the outputs of the steps before it, which are not carried out again, and with corrected settings of
 * that step.
 */
export const rerunAutomationRun = writeOperation({
  id: 'automation_runs.rerun',
  method: 'POST',
  path: '/v1/automation_runs/{id}/rerun',
  summary: 'Run an automation run again',
  description:
    'The new run keeps the mode of the run and the limits of its flow, which must be active. The credential needs all scopes of the ' +
    "flow's version; the steps act with the flow's authority.",
  scope: 'automations:write',
  credits: 25,
  extension: true,
  target: automationRunNoun,
  body: {
    workspace: Id,
    version: described(
      Type.Optional(OneOf('same', 'active')),
      '`same` repeats the version that ran, `active` takes the active one. `same` by default.',
    ),
    from_step: described(
      Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
      'Node from which to run, outside of loops. Steps before it are reused. The trigger by default.',
    ),
    step_input: SentStepInput,
    ...corrections,
    task: described(Type.Optional(Id), 'Another task for a run of `trigger.manual`, by id or key.'),
  },
  returns: AutomationRun,
  emits: [automationRunQueued, automationRunSkipped, automationRunCanceled, automationApprovalCanceled],
  example: { params: { id: '{ended_run}' }, body: { workspace: '{workspace}' } },
  async handle({ target, body, caller, tx, now, emit }) {
    const run = await startRerun({ tx, now, emit, caller }, target, body)
    return showAutomationRun(run, await journalOf(tx, run))
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('automations'),
})

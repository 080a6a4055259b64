import { readOperation } from '../../api/declare/operation.ts'
import { idParameter, required, textParameter } from '../../api/declare/parameters.ts'
import { limits } from '../../api/limits.ts'
import { automation_limits } from '../../automations/limits.ts'
import { automationRunNoun } from './automation_run.ts'
import { AutomationRunSteps, showSteps } from './automation_run_steps.ts'
import { requireReadScopes } from './journal-access.ts'
import { attemptsOf, latestSteps } from './queries.ts'

/**
 * Shows what the latest 20 steps of a run received and returned, with start, duration, attempts and cost; of one node with `node`.
 * Values of fields whose names promise a secret, and credentials of Atrium, are replaced by `…`; a text of more than 4,000
 * characters is cut. The credential needs the scopes with which the flow reads.
 */
export const showRunSteps = readOperation({
  id: 'automation_runs.steps',
  method: 'GET',
  path: '/v1/automation_runs/{id}/steps',
  summary: 'Show what steps received and returned',
  scope: 'automations:read',
  credits: 5,
  extension: true,
  target: automationRunNoun,
  query: {
    workspace: required(idParameter('The workspace that the run must belong to.')),
    node: textParameter(limits.id_chars_max, 'Only steps of this node of the graph. A node that did not run has none.'),
  },
  returns: AutomationRunSteps,
  example: { params: { id: '{automation_run}' }, query: { workspace: '{workspace}' } },
  async handle({ target: run, reader, caller, query: { node } }) {
    await requireReadScopes(reader, caller, run)
    const most = automation_limits.automation_steps_shown_max
    const found = await latestSteps(reader, run, node, most + 1)
    const shown = found.slice(0, most).toReversed()
    const steps = shown.map(async (row) => ({ row, attempts: await attemptsOf(reader, run, row.number) }))
    return showSteps(run, await Promise.all(steps), found.length > most)
  },
})

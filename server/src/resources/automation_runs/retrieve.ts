import { readOperation } from '../../api/declare/operation.ts'
import { idParameter, required } from '../../api/declare/parameters.ts'
import { AutomationRun, automationRunNoun, showAutomationRun } from './automation_run.ts'
import { journalOf } from './queries.ts'

/**
 * Retrieves a run with the last 200 entries of its journal. Runs that ended are kept for 30 days and then answer 404.
 */
export const retrieveAutomationRun = readOperation({
  id: 'automation_runs.retrieve',
  method: 'GET',
  path: '/v1/automation_runs/{id}',
  summary: 'Retrieve an automation run',
  scope: 'automations:read',
  credits: 1,
  target: automationRunNoun,
  query: { workspace: required(idParameter('The workspace that the run must belong to.')) },
  returns: AutomationRun,
  example: { params: { id: '{automation_run}' }, query: { workspace: '{workspace}' } },
  handle: async ({ target, reader }) => showAutomationRun(target, await journalOf(reader, target)),
})

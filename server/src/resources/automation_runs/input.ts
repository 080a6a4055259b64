import { readOperation } from '../../api/declare/operation.ts'
import { idParameter, required } from '../../api/declare/parameters.ts'
import { automationRunNoun } from './automation_run.ts'
import { AutomationRunInput, showInput } from './automation_run_input.ts'
import { receivedOfRun } from './shared/received.ts'

/**
 * Shows what started a run from outside: the request of an incoming webhook, the answers of a form, or a mail. All are null for
 * runs of other triggers. Values of fields whose names promise a secret, and credentials of Atrium, are replaced by `…`.
 */
export const showRunInput = readOperation({
  id: 'automation_runs.input',
  method: 'GET',
  path: '/v1/automation_runs/{id}/input',
  summary: 'Show what a run received',
  scope: 'automations:read',
  credits: 1,
  extension: true,
  target: automationRunNoun,
  query: { workspace: required(idParameter('The workspace that the run must belong to.')) },
  returns: AutomationRunInput,
  example: { params: { id: '{automation_run}' }, query: { workspace: '{workspace}' } },
  handle: async ({ target: run, reader }) => showInput(run, await receivedOfRun(reader, run)),
})

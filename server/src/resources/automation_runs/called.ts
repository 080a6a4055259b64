import { readOperation } from '../../api/declare/operation.ts'
import { idParameter, required } from '../../api/declare/parameters.ts'
import { automation_limits } from '../../automations/limits.ts'
import { query } from '../../db/query.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import { AutomationCalledRuns } from './automation_called_runs.ts'
import { automationRunNoun, showAutomationRun } from './automation_run.ts'

const latestCalled = query<AutomationRunRow, { realm: number; run: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('called_by', '=', p('run'))
    .orderBy('id', 'desc')
    .limit(p('count')),
)

/** Lists the latest 20 runs that the steps of a run called, newest first, without their steps. */
export const listCalled = readOperation({
  id: 'automation_runs.called',
  method: 'GET',
  path: '/v1/automation_runs/{id}/called',
  summary: 'List runs called by an automation run',
  scope: 'automations:read',
  credits: 5,
  extension: true,
  target: automationRunNoun,
  query: { workspace: required(idParameter('The workspace that the run must belong to.')) },
  returns: AutomationCalledRuns,
  example: { params: { id: '{automation_run}' }, query: { workspace: '{workspace}' } },
  async handle({ target: { realm, id }, reader }) {
    const { automation_called_shown_max: most } = automation_limits
    const rows = await reader.all(latestCalled, { realm, run: id, count: most + 1 })
    return {
      object: 'automation_called_runs' as const,
      automation_run: id,
      data: rows.slice(0, most).map((row) => showAutomationRun(row)),
      has_more: rows.length > most,
    }
  },
})

import { readOperation } from '../../api/declare/operation.ts'
import { idParameter, required } from '../../api/declare/parameters.ts'
import { automation_limits } from '../../automations/limits.ts'
import { query } from '../../db/query.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import { automationRunNoun, showAutomationRun } from './automation_run.ts'
import { AutomationRunReruns } from './automation_run_reruns.ts'

const latestReruns = query<AutomationRunRow, { realm: number; run: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('rerun_of', '=', p('run'))
    .orderBy('id', 'desc')
    .limit(p('count')),
)

/** Lists the latest 20 runs that repeat a run, newest first, without their steps. */
export const listReruns = readOperation({
  id: 'automation_runs.reruns',
  method: 'GET',
  path: '/v1/automation_runs/{id}/reruns',
  summary: 'List reruns of an automation run',
  scope: 'automations:read',
  credits: 5,
  extension: true,
  target: automationRunNoun,
  query: { workspace: required(idParameter('The workspace that the run must belong to.')) },
  returns: AutomationRunReruns,
  example: { params: { id: '{automation_run}' }, query: { workspace: '{workspace}' } },
  async handle({ target: { realm, id }, reader }) {
    const { automation_reruns_shown_max: most } = automation_limits
    const rows = await reader.all(latestReruns, { realm, run: id, count: most + 1 })
    return {
      object: 'automation_run_reruns' as const,
      automation_run: id,
      data: rows.slice(0, most).map((row) => showAutomationRun(row)),
      has_more: rows.length > most,
    }
  },
})

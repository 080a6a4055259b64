import { readOperation } from '../../api/declare/operation.ts'
import { idParameter, required } from '../../api/declare/parameters.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { Graph } from '../../automations/schema.ts'
import { flowVersion } from '../automation_flows/shared/queries.ts'
import { automationRunNoun } from './automation_run.ts'
import { AutomationRunAiCalls, showCalls } from './automation_run_ai_calls.ts'
import { requireReadScopes } from './journal-access.ts'
import { spentOf } from './queries/ai-usage.ts'
import { aiAttempts } from './queries.ts'

/**
 * Shows what the AI steps of a run saw and said: the prompt as it was sent, where credentials were cut from it, the answer,
 * whether it fits the step, and its cost. Of a run with more than 20 AI steps the latest are shown. The credential needs the scopes with which the flow reads.
 */
export const showAiCalls = readOperation({
  id: 'automation_runs.ai_calls',
  method: 'GET',
  path: '/v1/automation_runs/{id}/ai_calls',
  summary: 'Show what AI steps saw and said',
  scope: 'automations:read',
  credits: 5,
  extension: true,
  target: automationRunNoun,
  query: { workspace: required(idParameter('The workspace that the run must belong to.')) },
  returns: AutomationRunAiCalls,
  example: { params: { id: '{automation_run}' }, query: { workspace: '{workspace}' } },
  async handle({ target: run, reader, caller, services, now }) {
    await requireReadScopes(reader, caller, run)
    const { ai_steps_shown_max: most } = automation_limits
    const steps = await aiAttempts(reader, run, most + 1)
    const version = await flowVersion(reader, run.realm, run.automation_flow, run.flow_version)
    const { settings } = JSON.parse(version?.graph ?? '{}') as Pick<Graph, 'settings'>
    const at = steps.at(-1)?.at(-1)?.sent_at ?? now
    const usage = { organization: run.organization, realm: run.realm, flow: run.automation_flow }
    return showCalls(run, steps.slice(-most), {
      has_more: steps.length > most,
      organization: services.settings.ai.budgetMinorPerDay,
      flow: settings?.ai_budget_minor_per_day ?? null,
      spent_micros: await spentOf(reader, usage, at),
    })
  },
})

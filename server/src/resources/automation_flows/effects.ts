import { readOperation } from '../../api/declare/operation.ts'
import { automation_limits } from '../../automations/limits.ts'
import { AutomationEffects } from './automation_effects.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { rehearseRecent } from './rehearse-recent.ts'

/**
 * Shows what the latest 50 runs would have done that events, schedules and due dates of the last 7 days would have started:
 * each run is executed on the present state of its task, in a transaction that is rolled back, and calls no other server. A
 * flow that is only started by hand has no runs.
 */
export const showAutomationEffects = readOperation({
  id: 'automation_flows.effects',
  method: 'GET',
  path: '/v1/automation_flows/{id}/effects',
  summary: 'Show the effects of recent events',
  scope: 'automations:read',
  credits: 50,
  extension: true,
  target: automationFlowNoun,
  returns: AutomationEffects,
  example: { params: { id: '{automation_flow}' } },
  handle: ({ target: flow, caller, reader, services, now }) =>
    rehearseRecent({ services, caller, flow, reader, now, since: now - automation_limits.automation_matches_ms }),
})

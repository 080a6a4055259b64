import { readOperation } from '../../api/declare/operation.ts'
import { AutomationFlow, automationFlowNoun, showAutomationFlow } from './automation_flow.ts'

/** Retrieves an automation flow with its graph. */
export const retrieveAutomationFlow = readOperation({
  id: 'automation_flows.retrieve',
  method: 'GET',
  path: '/v1/automation_flows/{id}',
  summary: 'Retrieve an automation flow',
  scope: 'automations:read',
  credits: 1,
  target: automationFlowNoun,
  returns: AutomationFlow,
  example: { params: { id: '{automation_flow}' } },
  handle: ({ target }) => showAutomationFlow(target),
})

import { readOperation } from '../../api/declare/operation.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationHook, requireHook, showAutomationHook } from './automation_hook.ts'

/**
 * Shows the address of a flow for incoming webhooks. A flow gets one when it is first activated with a `trigger.webhook` and
 * keeps it from then on.
 */
export const showHook = readOperation({
  id: 'automation_flows.hook',
  method: 'GET',
  path: '/v1/automation_flows/{id}/hook',
  summary: 'Show the address of a flow',
  scope: 'automations:write',
  credits: 1,
  extension: true,
  uncached: true,
  target: automationFlowNoun,
  returns: AutomationHook,
  example: { params: { id: '{hooked_flow}' } },
  async handle({ target: flow, reader, services }) {
    const hook = await requireHook(reader, flow)
    return showAutomationHook(hook, flow, { sealer: services.sealer, publicUrl: services.settings.publicUrl })
  },
})

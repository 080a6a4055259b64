import { readOperation } from '../../api/declare/operation.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationForm, requireForm, showAutomationForm } from './automation_form.ts'

/**
 * Shows the address of a flow's form. A flow gets one when it is first activated with a `trigger.form` and keeps it from then
 * on.
 */
export const showForm = readOperation({
  id: 'automation_flows.form',
  method: 'GET',
  path: '/v1/automation_flows/{id}/form',
  summary: 'Show the form of a flow',
  scope: 'automations:write',
  credits: 1,
  extension: true,
  uncached: true,
  target: automationFlowNoun,
  returns: AutomationForm,
  example: { params: { id: '{formed_flow}' } },
  async handle({ target: flow, reader, services }) {
    const form = await requireForm(reader, flow)
    return showAutomationForm(form, flow, { sealer: services.sealer, publicUrl: services.settings.publicUrl })
  },
})

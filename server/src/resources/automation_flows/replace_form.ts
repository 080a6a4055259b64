import { writeOperation } from '../../api/declare/operation.ts'
import { formAddresses } from '../automation_runs/shared/forms.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationForm, requireForm, showAutomationForm } from './automation_form.ts'

/** Replaces the address of a flow's form. The former address stops working at once. */
export const replaceAutomationForm = writeOperation({
  id: 'automation_flows.replace_form',
  method: 'POST',
  path: '/v1/automation_flows/{id}/replace_form',
  summary: 'Replace the address of a form',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationFlowNoun,
  returns: AutomationForm,
  emits: [],
  sealed: true,
  example: { params: { id: '{formed_flow}' } },
  prepare: async ({ services }) => services.settings.publicUrl,
  async handle({ target: flow, tx, now, sealer, prepared, note }) {
    const form = formAddresses.replace(tx, sealer, await requireForm(tx, flow), now)
    note({ target: { object: 'automation_flow', id: flow.id, workspace: flow.workspace }, unannounced: true })
    return showAutomationForm(form, flow, { sealer, publicUrl: prepared as string })
  },
})

import { writeOperation } from '../../api/declare/operation.ts'
import { hookAddresses } from '../automation_runs/shared/hooks.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationHook, requireHook, showAutomationHook } from './automation_hook.ts'

/** Replaces the address of a flow for incoming webhooks. The former address stops working at once. */
export const replaceAutomationHook = writeOperation({
  id: 'automation_flows.replace_hook',
  method: 'POST',
  path: '/v1/automation_flows/{id}/replace_hook',
  summary: 'Replace the address of a flow',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationFlowNoun,
  returns: AutomationHook,
  emits: [],
  sealed: true,
  example: { params: { id: '{hooked_flow}' } },
  prepare: async ({ services }) => services.settings.publicUrl,
  async handle({ target: flow, tx, now, sealer, prepared, note }) {
    const hook = hookAddresses.replace(tx, sealer, await requireHook(tx, flow), now)
    note({ target: { object: 'automation_flow', id: flow.id, workspace: flow.workspace }, unannounced: true })
    return showAutomationHook(hook, flow, { sealer, publicUrl: prepared as string })
  },
})

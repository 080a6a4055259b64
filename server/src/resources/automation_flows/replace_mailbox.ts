import { writeOperation } from '../../api/declare/operation.ts'
import type { Settings } from '../../api/services.ts'
import { mailAddresses } from '../automation_runs/shared/mails.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationMailbox, requireMailbox, showAutomationMailbox } from './automation_mailbox.ts'

/** Replaces the address of a flow for mail. The former address stops working at once. */
export const replaceAutomationMailbox = writeOperation({
  id: 'automation_flows.replace_mailbox',
  method: 'POST',
  path: '/v1/automation_flows/{id}/replace_mailbox',
  summary: 'Replace the mail address of a flow',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationFlowNoun,
  returns: AutomationMailbox,
  emits: [],
  sealed: true,
  example: { params: { id: '{mailed_flow}' } },
  prepare: async ({ services }) => ({ domain: services.settings.replyDomain }),
  async handle({ target: flow, tx, now, sealer, prepared, note }) {
    const mailbox = mailAddresses.replace(tx, sealer, await requireMailbox(tx, flow), now)
    note({ target: { object: 'automation_flow', id: flow.id, workspace: flow.workspace }, unannounced: true })
    const { domain } = prepared as { readonly domain: Settings['replyDomain'] }
    return showAutomationMailbox(mailbox, flow, { sealer, domain })
  },
})

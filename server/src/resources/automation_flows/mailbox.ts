import { readOperation } from '../../api/declare/operation.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationMailbox, requireMailbox, showAutomationMailbox } from './automation_mailbox.ts'

/**
 * Shows the address of a flow for mail. A flow gets one when it is first activated with a `trigger.mail` and keeps it from then
 * on.
 */
export const showMailbox = readOperation({
  id: 'automation_flows.mailbox',
  method: 'GET',
  path: '/v1/automation_flows/{id}/mailbox',
  summary: 'Show the mail address of a flow',
  scope: 'automations:write',
  credits: 1,
  extension: true,
  uncached: true,
  target: automationFlowNoun,
  returns: AutomationMailbox,
  example: { params: { id: '{mailed_flow}' } },
  async handle({ target: flow, reader, services }) {
    const mailbox = await requireMailbox(reader, flow)
    return showAutomationMailbox(mailbox, flow, { sealer: services.sealer, domain: services.settings.replyDomain })
  },
})

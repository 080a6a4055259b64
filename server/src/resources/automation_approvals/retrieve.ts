import { readOperation } from '../../api/declare/operation.ts'
import { AutomationApproval, automationApprovalNoun, showAutomationApproval } from './automation_approval.ts'

/** Shows an approval: what is asked, who may decide, and who has decided. It is kept as long as its run. */
export const retrieveAutomationApproval = readOperation({
  id: 'automation_approvals.retrieve',
  method: 'GET',
  path: '/v1/automation_approvals/{id}',
  summary: 'Retrieve an approval',
  scope: 'automations:read',
  credits: 1,
  extension: true,
  target: automationApprovalNoun,
  returns: AutomationApproval,
  example: { params: { id: '{automation_approval}' } },
  handle: ({ target }) => showAutomationApproval(target),
})

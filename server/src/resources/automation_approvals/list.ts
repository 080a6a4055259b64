import { listOperation } from '../../api/declare/operation.ts'
import { idParameter, wordParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { automationRunNoun } from '../automation_runs/automation_run.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { approval_statuses, automationApprovalNoun } from './automation_approval.ts'

/** Lists approvals, newest first, of all people who were asked. */
export const listAutomationApprovals = listOperation({
  id: 'automation_approvals.list',
  method: 'GET',
  path: '/v1/automation_approvals',
  summary: 'List approvals',
  scope: 'automations:read',
  credits: 5,
  extension: true,
  paging: 'id',
  fields: true,
  lists: automationApprovalNoun,
  query: {
    workspace: idParameter('Only approvals of this workspace.', workspaceNoun),
    automation_run: idParameter('Only approvals that this run has asked for.', automationRunNoun),
    status: wordParameter(approval_statuses, 'Only approvals in this state.'),
  },
  example: { query: { automation_run: '{automation_run}' } },
  handle: (context) => {
    const { workspace, automation_run, status } = context.query
    return listById(context, automationApprovalNoun, { where: { workspace, automation_run, status } })
  },
})

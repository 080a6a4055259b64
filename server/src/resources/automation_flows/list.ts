import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { projectNoun } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { automationFlowNoun } from './automation_flow.ts'

/** Lists automation flows in every state, newest first. */
export const listAutomationFlows = listOperation({
  id: 'automation_flows.list',
  method: 'GET',
  path: '/v1/automation_flows',
  summary: 'List automation flows',
  scope: 'automations:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: automationFlowNoun,
  query: {
    workspace: idParameter('Only flows of this workspace.', workspaceNoun),
    project: idParameter('Only flows of this project.', projectNoun),
  },
  handle(context) {
    const { workspace, project } = context.query
    return listById(context, automationFlowNoun, { where: { workspace, project } })
  },
})

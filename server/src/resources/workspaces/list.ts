import { listOperation } from '../../api/declare/operation.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from './workspace.ts'

/** Lists the organization's active workspaces, newest first. */
export const listWorkspaces = listOperation({
  id: 'workspaces.list',
  method: 'GET',
  path: '/v1/workspaces',
  summary: 'List workspaces',
  scope: 'workspaces:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: workspaceNoun,
  handle: (context) => listById(context, workspaceNoun),
})

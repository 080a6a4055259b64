import { readOperation } from '../../api/declare/operation.ts'
import { showWorkspace, Workspace, workspaceNoun } from './workspace.ts'

/** Shows a workspace. */
export const retrieveWorkspace = readOperation({
  id: 'workspaces.retrieve',
  method: 'GET',
  path: '/v1/workspaces/{id}',
  summary: 'Retrieve a workspace',
  scope: 'workspaces:read',
  credits: 1,
  target: workspaceNoun,
  returns: Workspace,
  example: { params: { id: '{workspace}' } },
  handle: ({ target }) => showWorkspace(target),
})

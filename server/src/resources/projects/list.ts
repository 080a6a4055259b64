import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { projectNoun } from './project.ts'

/** Lists projects, archived ones included, newest first. */
export const listProjects = listOperation({
  id: 'projects.list',
  method: 'GET',
  path: '/v1/projects',
  summary: 'List projects',
  scope: 'projects:read',
  credits: 5,
  paging: 'id',
  fields: true,
  query: { workspace: idParameter('Only projects of this workspace.', workspaceNoun) },
  lists: projectNoun,
  handle: (context) => listById(context, projectNoun, { where: { workspace: context.query.workspace } }),
})

import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { projectNoun } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { columnNoun } from './column.ts'

/** Lists columns, newest first. A board shows them by `position`. */
export const listColumns = listOperation({
  id: 'columns.list',
  method: 'GET',
  path: '/v1/columns',
  summary: 'List columns',
  scope: 'projects:read',
  credits: 5,
  paging: 'id',
  fields: true,
  query: {
    workspace: idParameter('Only columns of this workspace.', workspaceNoun),
    project: idParameter('Only columns of this project.', projectNoun),
  },
  lists: columnNoun,
  handle: (context) => {
    const { workspace, project } = context.query
    return listById(context, columnNoun, { where: { workspace, project }, fixed: ['workspace', 'project'] })
  },
})

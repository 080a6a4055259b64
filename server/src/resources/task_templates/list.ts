import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { projectNoun } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { taskTemplateNoun } from './task_template.ts'

/** Lists task templates, newest first. */
export const listTaskTemplates = listOperation({
  id: 'task_templates.list',
  method: 'GET',
  path: '/v1/task_templates',
  summary: 'List task templates',
  scope: 'tasks:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: taskTemplateNoun,
  query: {
    workspace: idParameter('Only templates of this workspace.', workspaceNoun),
    project: idParameter('Only templates of this project.', projectNoun),
  },
  handle: (context) => {
    const { workspace, project } = context.query
    return listById(context, taskTemplateNoun, { where: { workspace, project } })
  },
})

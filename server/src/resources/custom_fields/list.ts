import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { customFieldNoun } from './custom_field.ts'

/** Lists custom fields, newest first. People see them by `position`. */
export const listCustomFields = listOperation({
  id: 'custom_fields.list',
  method: 'GET',
  path: '/v1/custom_fields',
  summary: 'List custom fields',
  scope: 'workspaces:read',
  credits: 5,
  extension: true,
  paging: 'id',
  fields: true,
  query: { workspace: idParameter('Only custom fields of this workspace.', workspaceNoun) },
  lists: customFieldNoun,
  handle: (context) => listById(context, customFieldNoun, { where: { workspace: context.query.workspace } }),
})

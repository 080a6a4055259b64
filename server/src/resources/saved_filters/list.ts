import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { savedFilterNoun } from './saved_filter.ts'

/** Lists the filters of the team, newest first. Private ones are not listed. */
export const listSavedFilters = listOperation({
  id: 'saved_filters.list',
  method: 'GET',
  path: '/v1/saved_filters',
  summary: 'List saved filters',
  scope: 'tasks:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: savedFilterNoun,
  query: { workspace: idParameter('Only filters of this workspace.', workspaceNoun) },
  handle: (context) =>
    listById(context, savedFilterNoun, { where: { workspace: context.query.workspace, visibility: 'team' } }),
})

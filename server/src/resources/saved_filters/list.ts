import { actingUser } from '../../api/declare/caller.ts'
import { listOperation } from '../../api/declare/operation.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { savedFilterNoun, team } from './saved_filter.ts'

/** Lists the filters of the team and the private ones of the credential's user, newest first. */
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
    listById(context, savedFilterNoun, {
      where: { workspace: context.query.workspace, audience: [team, actingUser(context.caller)] },
    }),
})

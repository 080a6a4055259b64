import { listOperation } from '../../api/declare/operation.ts'
import { listOfOrganization } from '../organizations/shared/queries.ts'
import { teamNoun } from './team.ts'

/** Lists the organization's teams, newest first: the same in both realms. */
export const listTeams = listOperation({
  id: 'teams.list',
  method: 'GET',
  path: '/v1/teams',
  summary: 'List teams',
  scope: 'api:read',
  credits: 10,
  paging: 'id',
  fields: true,
  lists: teamNoun,
  handle: (context) => listOfOrganization(context, teamNoun),
})

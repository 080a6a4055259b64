import { listOperation } from '../../api/declare/operation.ts'
import { listOfOrganization } from '../organizations/shared/queries.ts'
import { teamNoun } from './team.ts'

/** Lists the teams of the organization, newest first. Live and test credentials see the same teams. */
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

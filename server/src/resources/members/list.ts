import { listOperation } from '../../api/declare/operation.ts'
import { listOfOrganization } from '../organizations/shared/queries.ts'
import { memberNoun } from './member.ts'

/** Lists the members of the organization in every status, newest first. Live and test credentials see the same members. */
export const listMembers = listOperation({
  id: 'members.list',
  method: 'GET',
  path: '/v1/members',
  summary: 'List members',
  scope: 'api:read',
  credits: 10,
  paging: 'id',
  fields: true,
  lists: memberNoun,
  handle: (context) => listOfOrganization(context, memberNoun),
})

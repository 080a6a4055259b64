import { listOperation } from '../../api/declare/operation.ts'
import { listOfOrganization } from '../organizations/shared/queries.ts'
import { memberNoun } from './member.ts'

/** Lists the organization's members, newest first: the same in both realms, whatever their status. */
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

import { listOperation } from '../../api/declare/operation.ts'
import { listOfOrganization } from '../organizations/shared/queries.ts'
import { memberNoun } from './member.ts'
import { peopleSeenBy } from './shared/people-of-guest.ts'

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
  async handle(context) {
    const people = await peopleSeenBy(context.reader, context.caller)
    return await listOfOrganization(context, memberNoun, people === null ? undefined : [...people])
  },
})

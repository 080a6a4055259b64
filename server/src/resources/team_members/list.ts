import { refuse } from '../../api/declare/errors.ts'
import { listOperation } from '../../api/declare/operation.ts'
import { readPageRequest, toPage } from '../../api/request/page.ts'
import { teamNoun } from '../teams/team.ts'
import { pageOfTeam } from './shared/queries.ts'
import { showTeamMember, teamMemberNoun } from './team_member.ts'

/** Lists the people of a team, also those whose membership in the organization is not active, the one added last first. */
export const listTeamMembers = listOperation({
  id: 'team_members.list',
  method: 'GET',
  path: '/v1/teams/{id}/members',
  summary: 'List the people of a team',
  scope: 'api:read',
  credits: 10,
  extension: true,
  parent: teamNoun,
  paging: 'id_forward',
  lists: teamMemberNoun,
  example: { params: { id: '{team}' } },
  async handle({ reader, caller, query, parent }) {
    const page = readPageRequest(query)
    const { cursor, limit } = page
    const { organization } = caller
    if (cursor !== null) {
      const row = await teamMemberNoun.find(reader, caller, cursor)
      if (row === undefined) throw refuse('cursor_invalid', { param: page.param })
      if (row.team !== parent.id) throw refuse('cursor_filter_mismatch', { param: page.param })
    }
    const values = { organization, team: parent.id, cursor: cursor ?? '' }
    return toPage(await reader.all(pageOfTeam({ cursor, limit }), values), page, showTeamMember, ({ id }) => id)
  },
})

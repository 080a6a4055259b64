import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { teamNoun } from '../teams/team.ts'
import { teamMemberDeleted } from './events.ts'
import { removeFromTeam } from './shared/people.ts'
import { teamUserNoun } from './team_member.ts'

/** Removes a person from a team. Tasks stay assigned. Adding the person again creates a new membership. */
export const deleteTeamMember = writeOperation({
  id: 'team_members.delete',
  method: 'DELETE',
  path: '/v1/teams/{id}/members/{user_id}',
  summary: 'Remove a person from a team',
  scope: 'api:manage',
  credits: 10,
  extension: true,
  inBothRealms: true,
  parent: teamNoun,
  target: teamUserNoun,
  returns: Deleted('team_member'),
  emits: [teamMemberDeleted],
  example: { params: { id: '{team}', user_id: '{team_member}' } },
  handle({ target, tx, now, emit }) {
    removeFromTeam({ tx, now, emit }, target)
    return { id: target.id, object: 'team_member', deleted: true }
  },
})

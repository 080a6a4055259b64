import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { userNoun } from '../members/member.ts'
import { teamNoun } from '../teams/team.ts'
import { teamMemberCreated } from './events.ts'
import { addToTeam, requireRoom } from './shared/people.ts'
import { membershipInTeam, showTeamMember, TeamMember } from './team_member.ts'

/** Adds an active or invited member of the organization to a team. A person who is in it already stays, and nothing is emitted. */
export const createTeamMember = writeOperation({
  id: 'team_members.create',
  method: 'POST',
  path: '/v1/teams/{id}/members',
  summary: 'Add a person to a team',
  scope: 'api:manage',
  credits: 10,
  extension: true,
  inBothRealms: true,
  parent: teamNoun,
  body: { user: Id },
  returns: TeamMember,
  emits: [teamMemberCreated],
  example: { params: { id: '{team}' }, body: { user: '{user}' } },
  async handle({ parent, body, caller, tx, now, emit }) {
    const { organization } = caller
    const existing = await tx.first(membershipInTeam, { organization, team: parent.id, user: body.user })
    if (existing !== undefined) return showTeamMember(existing)
    const member = await findReference(userNoun, { tx, caller }, body.user, 'user')
    if (member.status === 'inactive') {
      const message = `user "${body.user}" names a member who is not active.`
      throw refuse('invalid_request_body', { param: 'user', message })
    }
    await requireRoom(tx, parent, 1)
    return showTeamMember(addToTeam({ tx, now, emit }, parent, body.user))
  },
})

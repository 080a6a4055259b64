/** The membership of a person in a team, shared by both realms. It gives no rights (contract/14#team-member). */
import Type, { type Static } from 'typebox'
import { findForGuests, type Noun } from '../../api/declare/noun.ts'
import { described, head, Id } from '../../api/declare/shapes.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { TeamMemberRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const TeamMember = Type.Object({
  ...head('team_member'),
  team: described(Id, 'Team that the person is in.'),
  user: described(Id, 'User id of the person.'),
})

export type TeamMember = Static<typeof TeamMember>

export function showTeamMember(row: TeamMemberRow): TeamMember {
  return {
    id: row.id,
    object: 'team_member',
    created: seconds(row.created),
    updated: seconds(row.updated),
    team: row.team,
    user: row.user,
  }
}

const byId = query((db, p: Placeholder<{ organization: string; id: string }>) =>
  db.selectFrom('team_members').selectAll().where('organization', '=', p('organization')).where('id', '=', p('id')),
)

/** Without a rule for guests: a guest sees no team. */
export const teamMemberNoun: Noun<TeamMemberRow, TeamMember> = {
  object: 'team_member',
  prefix: 'tmb',
  table: 'team_members',
  schema: TeamMember,
  readScope: 'api:read',
  workspaced: false,
  forgets: true,
  find: findForGuests(undefined, (reader, { organization }, reference) =>
    reader.first(byId, { organization, id: reference }),
  ),
  show: showTeamMember,
}

/** The current membership of a person. */
export const membershipInTeam = query(
  (db, p: Placeholder<{ organization: string; team: string | null; user: string }>) =>
    db
      .selectFrom('team_members')
      .selectAll()
      .where('organization', '=', p('organization'))
      .where('team', '=', p('team'))
      .where('user', '=', p('user'))
      .where('deleted_at', 'is', null),
)

/** A membership is named by the user's id below the team's path. A removed one is not found (contract/02#deleted-objects). */
export const teamUserNoun: Noun<TeamMemberRow, TeamMember> = {
  ...teamMemberNoun,
  find: findForGuests(undefined, (reader, { organization }, reference, parent) =>
    reader.first(membershipInTeam, { organization, team: parent?.id ?? null, user: reference }),
  ),
}

/** All SQL about the people of teams, besides the look-ups of the noun. */

import { limits } from '../../../api/limits.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { literal, type Placeholder, query, shapedQuery } from '../../../db/query.ts'
import type { TeamMemberRow } from '../../../db/schema.ts'

/** In the order in which they were added. */
export const membersOfTeam = query((db, p: Placeholder<{ organization: string; team: string }>) =>
  db
    .selectFrom('team_members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('team', '=', p('team'))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(literal(limits.team_members_max)),
)

export const countMembersOfTeam = query((db, p: Placeholder<{ organization: string; team: string }>) =>
  db
    .selectFrom('team_members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization', '=', p('organization'))
    .where('team', '=', p('team'))
    .where('deleted_at', 'is', null),
)

export const membershipsOfUser = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('team_members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .where('deleted_at', 'is', null)
    .orderBy('team')
    .limit(literal(limits.teams_max)),
)

/** Leaves a tombstone. */
export const removeTeamMember = query((db, p: Placeholder<{ organization: string; id: string; now: number | null }>) =>
  db
    .updateTable('team_members')
    .set({ deleted_at: p('now') })
    .where('organization', '=', p('organization'))
    .where('id', '=', p('id')),
)

interface PageOfTeam {
  readonly cursor: string | null
  readonly limit: number
}

/** A page of the list, newest first. */
export function pageOfTeam({ cursor, limit }: PageOfTeam) {
  const shape = `team members ${cursor === null} ${limit}`
  return shapedQuery<TeamMemberRow, { organization: string; team: string; cursor: string }>(shape, (db, p) => {
    const rows = db
      .selectFrom('team_members')
      .selectAll()
      .where('organization', '=', p('organization'))
      .where('team', '=', p('team'))
      .where('deleted_at', 'is', null)
      .orderBy('id', 'desc')
      .limit(literal(limit + 1))
    return cursor === null ? rows : rows.where('id', '<', p('cursor'))
  })
}

/** The teams of several people: a JSON array of user ids. */
export const teamsOfUsers = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('team_members')
    .innerJoin('teams', (join) =>
      join.onRef('teams.organization', '=', 'team_members.organization').onRef('teams.id', '=', 'team_members.team'),
    )
    .select(['team_members.user', 'teams.id', 'teams.name'])
    .where('team_members.organization', '=', p('organization'))
    .where(isOneOf(dialect, 'team_members.user', p('users')))
    .where('team_members.deleted_at', 'is', null)
    .orderBy('teams.id'),
)

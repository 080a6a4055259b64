/** All SQL about the organization's members, keys, flows and invitations as the console lists them. */
import { limits } from '../../api/limits.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import { console_limits } from '../limits.ts'

export const listMembers = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .orderBy('id')
    .limit(console_limits.directory_max + 1),
)

export const listMemberships = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('account_memberships').selectAll().where('organization', '=', p('organization')),
)

/** Each user's latest `last_seen` over all sessions. */
export const listLastSeen = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('sessions')
    .select((eb) => ['sessions.user', eb.fn.max('sessions.last_seen').as('last_seen')])
    .where('organization', '=', p('organization'))
    .groupBy('sessions.user'),
)

/** Includes deleted keys, whose names are erased: logs still refer to their ids. */
export const listKeys = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('credentials')
    .select(['id', 'name', 'kind', 'owner_type', 'owner_id', 'deleted_at'])
    .where('realm', '=', p('realm'))
    .where((where) => where.or([where('kind', '=', 'api_key'), where('deleted_at', 'is', null)]))
    .orderBy((order) => order.case().when('deleted_at', 'is', null).then(0).else(1).end())
    .orderBy('id', 'desc')
    .limit(console_limits.directory_max + 1),
)

export const listFlows = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('automation_flows')
    .select(['id', 'name'])
    .where('realm', '=', p('realm'))
    .orderBy('id', 'desc')
    .limit(console_limits.directory_max + 1),
)

export const listOpenInvitations = query((db, p: Placeholder<{ organization: string; now: number }>) =>
  db
    .selectFrom('account_links')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('kind', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .orderBy('id', 'desc')
    .limit(console_limits.invitations_max),
)

/** Deleted teams, the newest first: texts still mention them. */
export const listFormerTeams = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('organization', '=', p('organization'))
    .where('deleted_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(literal(limits.teams_max)),
)

/** The people of all teams. */
export const membershipsOfOrganization = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('team_members')
    .select(['team', 'user'])
    .where('organization', '=', p('organization'))
    .where('deleted_at', 'is', null)
    .orderBy('team')
    .orderBy('id')
    .limit(literal(console_limits.directory_memberships_max)),
)

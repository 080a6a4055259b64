/** All SQL about an organization's people as the console shows them. */
import { query } from '../../db/query.ts'
import { limits } from '../../lib/limits.ts'

export const listMembers = query((db, p) =>
  db
    .selectFrom('members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .orderBy('id')
    .limit(limits.directory_max + 1),
)

export const listMembershipsOf = query((db, p) =>
  db.selectFrom('account_memberships').selectAll().where('organization', '=', p('organization')),
)

/** When each of an organization's people was there last. */
export const listLastSeen = query((db, p) =>
  db
    .selectFrom('sessions')
    .select((eb) => ['sessions.user', eb.fn.max('sessions.last_seen').as('last_seen')])
    .where('organization', '=', p('organization'))
    .groupBy('sessions.user'),
)

/** Keys that are gone too, though their names are forgotten: what they did is still told in the logs. */
export const listKeys = query((db, p) =>
  db
    .selectFrom('credentials')
    .select(['id', 'name', 'kind', 'owner_type', 'owner_id', 'deleted_at'])
    .where('realm', '=', p('realm'))
    .where((where) => where.or([where('kind', '=', 'api_key'), where('deleted_at', 'is', null)]))
    .orderBy((order) => order.case().when('deleted_at', 'is', null).then(0).else(1).end())
    .orderBy('id', 'desc')
    .limit(limits.directory_max + 1),
)

export const listFlows = query((db, p) =>
  db
    .selectFrom('automation_flows')
    .select(['id', 'name'])
    .where('realm', '=', p('realm'))
    .orderBy('id', 'desc')
    .limit(limits.directory_max + 1),
)

export const listInvitationsOf = query((db, p) =>
  db
    .selectFrom('account_links')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('kind', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .orderBy('id', 'desc')
    .limit(limits.invitations_max),
)

/** All SQL about clients, codes and grants of OAuth. */
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { OauthClientRow, OauthCodeRow, OauthGrantRow } from '../../db/schema.ts'
import { console_limits } from '../limits.ts'

export const findClient = query<OauthClientRow, { id: string }>((db, p) =>
  db.selectFrom('oauth_clients').selectAll().where('id', '=', p('id')),
)

export const listClientsOfRealm = query<OauthClientRow, { realm: number }>((db, p) =>
  db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('realm', '=', p('realm'))
    .limit(literal(console_limits.applications_max)),
)

export const countSelfRegistered = query((db, _: Placeholder<Record<never, never>>) =>
  db
    .selectFrom('oauth_clients')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('expires_at', 'is not', null),
)

export const updateRedirectUris = query((db, p: Placeholder<{ id: string; redirect_uris: string; now: number }>) =>
  db
    .updateTable('oauth_clients')
    .set({ redirect_uris: p('redirect_uris'), updated: p('now') })
    .where('id', '=', p('id')),
)

export const updateSecret = query((db, p: Placeholder<{ id: string; digest: string; hint: string; now: number }>) =>
  db
    .updateTable('oauth_clients')
    .set({ digest: p('digest'), hint: p('hint'), updated: p('now') })
    .where('id', '=', p('id')),
)

/** Of a client that registered itself; the others do not expire. */
export const extendClient = query((db, p: Placeholder<{ id: string; expires_at: number }>) =>
  db
    .updateTable('oauth_clients')
    .set({ expires_at: p('expires_at') })
    .where('id', '=', p('id'))
    .where('expires_at', 'is not', null),
)

export const deleteClient = query((db, p: Placeholder<{ id: string }>) =>
  db.deleteFrom('oauth_clients').where('id', '=', p('id')),
)

export const findCode = query<OauthCodeRow, { digest: string }>((db, p) =>
  db.selectFrom('oauth_codes').selectAll().where('digest', '=', p('digest')),
)

export const deleteCode = query((db, p: Placeholder<{ digest: string }>) =>
  db.deleteFrom('oauth_codes').where('digest', '=', p('digest')),
)

export const deleteCodesOfClient = query((db, p: Placeholder<{ client: string }>) =>
  db.deleteFrom('oauth_codes').where('client', '=', p('client')),
)

export const findGrant = query<OauthGrantRow, { id: string }>((db, p) =>
  db.selectFrom('oauth_grants').selectAll().where('id', '=', p('id')),
)

/** The grant that a code was exchanged for. */
export const findGrantOfCode = query<OauthGrantRow, { digest: string }>((db, p) =>
  db.selectFrom('oauth_grants').selectAll().where('code_digest', '=', p('digest')),
)

/** A person's grants in an organization that have not expired, newest first. */
export const listGrantsOfUser = query<OauthGrantRow, { organization: string; user: string; now: number }>((db, p) =>
  db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .where('expires_at', '>', p('now'))
    .orderBy('id', 'desc')
    .limit(literal(console_limits.oauth_grants_max)),
)

/** Sorts behind the id of every grant. */
export const newest_grant = 'ogr_zz'

/** The grants of an organization that have not expired, with ids below `before`, newest first: one more than a page. */
export const listGrantsOfOrganization = query<OauthGrantRow, { organization: string; before: string; now: number }>(
  (db, p) =>
    db
      .selectFrom('oauth_grants')
      .selectAll()
      .where('organization', '=', p('organization'))
      .where('id', '<', p('before'))
      .where('expires_at', '>', p('now'))
      .orderBy('id', 'desc')
      .limit(literal(console_limits.console_page + 1)),
)

export const listGrantsOfClient = query<OauthGrantRow, { client: string }>((db, p) =>
  db
    .selectFrom('oauth_grants')
    .selectAll()
    .where('client', '=', p('client'))
    .orderBy('id')
    .limit(literal(console_limits.oauth_grants_ended)),
)

export const updateGrant = query(
  (db, p: Placeholder<{ id: string; refresh_digest: string; now: number; expires_at: number }>) =>
    db
      .updateTable('oauth_grants')
      .set({ refresh_digest: p('refresh_digest'), last_used_at: p('now'), expires_at: p('expires_at') })
      .where('id', '=', p('id')),
)

export const deleteGrant = query((db, p: Placeholder<{ id: string }>) =>
  db.deleteFrom('oauth_grants').where('id', '=', p('id')),
)

/** The role of an active member; none for any other person. */
export const findActiveRole = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .select('account_memberships.role')
    .where('account_memberships.organization', '=', p('organization'))
    .where('account_memberships.user', '=', p('user'))
    .where('members.status', '=', 'active'),
)

/** The grant and the realm of an access token. */
export const findTokenOfGrant = query((db, p: Placeholder<{ digest: string }>) =>
  db
    .selectFrom('credentials')
    .select(['id', 'realm', 'oauth_grant'])
    .where('digest', '=', p('digest'))
    .where('deleted_at', 'is', null),
)

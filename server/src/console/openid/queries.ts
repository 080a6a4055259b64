/** All SQL about OpenID identities and flows. */
import { type Placeholder, query } from '../../db/query.ts'
import { console_limits } from '../limits.ts'

export const findFlow = query((db, p: Placeholder<{ state: string; browser: string }>) =>
  db.selectFrom('sign_in_flows').selectAll().where('state', '=', p('state')).where('browser', '=', p('browser')),
)

export const deleteFlow = query((db, p: Placeholder<{ state: string }>) =>
  db.deleteFrom('sign_in_flows').where('state', '=', p('state')),
)

export const findIdentity = query((db, p: Placeholder<{ organization: string; issuer: string; subject: string }>) =>
  db
    .selectFrom('account_identities')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('issuer', '=', p('issuer'))
    .where('subject', '=', p('subject')),
)

export const updateIdentityUse = query(
  (db, p: Placeholder<{ organization: string; issuer: string; subject: string; now: number }>) =>
    db
      .updateTable('account_identities')
      .set({ last_used_at: p('now') })
      .where('organization', '=', p('organization'))
      .where('issuer', '=', p('issuer'))
      .where('subject', '=', p('subject')),
)

/** An account's identities in all of its organizations. */
export const listIdentities = query((db, p: Placeholder<{ account: string }>) =>
  db
    .selectFrom('account_identities')
    .select(['organization', 'issuer', 'subject'])
    .where('account', '=', p('account'))
    .orderBy('created')
    .limit(console_limits.openid_identities_max),
)

export const deleteIdentitiesOfMember = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db.deleteFrom('account_identities').where('organization', '=', p('organization')).where('user', '=', p('user')),
)

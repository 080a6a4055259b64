/** All SQL about accounts. */
import { type Placeholder, query } from '../../db/query.ts'
import { console_limits } from '../limits.ts'

/** The accounts of an address, which is stored in lower case; the oldest first. */
export const listByEmail = query((db, p: Placeholder<{ email: string }>) =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where('email', '=', p('email'))
    .orderBy('id')
    .limit(console_limits.accounts_per_email_max),
)

export const findAccount = query((db, p: Placeholder<{ id: string }>) =>
  db.selectFrom('accounts').selectAll().where('id', '=', p('id')),
)

export const setPassword = query((db, p: Placeholder<{ password_hash: string; now: number; id: string }>) =>
  db
    .updateTable('accounts')
    .set({ password_hash: p('password_hash'), password_changed_at: p('now'), updated: p('now') })
    .where('id', '=', p('id')),
)

/** Replaces the hash of an unchanged password; no row if the password was changed in the meantime. */
export const replaceHash = query((db, p: Placeholder<{ password_hash: string; id: string; before: string }>) =>
  db
    .updateTable('accounts')
    .set({ password_hash: p('password_hash') })
    .where('id', '=', p('id'))
    .where('password_hash', '=', p('before')),
)

export const findMembership = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('account_memberships')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

export const setRole = query((db, p: Placeholder<{ role: string; now: number; organization: string; user: string }>) =>
  db
    .updateTable('account_memberships')
    .set({ role: p('role'), updated: p('now') })
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

export const findMembershipOfAccount = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('account_memberships').selectAll().where('account', '=', p('account')).limit(1),
)

export const findAccountInOrganization = query((db, p: Placeholder<{ organization: string; account: string }>) =>
  db
    .selectFrom('account_memberships')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('account', '=', p('account')),
)

export const moveMembership = query(
  (db, p: Placeholder<{ account: string; role: string; now: number; organization: string; user: string }>) =>
    db
      .updateTable('account_memberships')
      .set({ account: p('account'), role: p('role'), updated: p('now') })
      .where('organization', '=', p('organization'))
      .where('user', '=', p('user')),
)

export const deleteMembership = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db.deleteFrom('account_memberships').where('organization', '=', p('organization')).where('user', '=', p('user')),
)

export const deleteAccount = query((db, p: Placeholder<{ id: string }>) =>
  db.deleteFrom('accounts').where('id', '=', p('id')),
)

/** Active members with the role owner. */
export const listOwners = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .select('account_memberships.user')
    .where('account_memberships.organization', '=', p('organization'))
    .where('account_memberships.role', '=', 'owner')
    .where('members.status', '=', 'active'),
)

/** Another address to sign in with, in lower case. It is not proved. */
export const setEmail = query((db, p: Placeholder<{ email: string; id: string; now: number }>) =>
  db
    .updateTable('accounts')
    .set({ email: p('email'), email_proved_at: null, updated: p('now') })
    .where('id', '=', p('id')),
)

export const setEmailProved = query((db, p: Placeholder<{ id: string; now: number }>) =>
  db
    .updateTable('accounts')
    .set({ email_proved_at: p('now') })
    .where('id', '=', p('id'))
    .where('email_proved_at', 'is', null),
)

/** All SQL about accounts. */
import { type Query, query } from '../../db/query.ts'

/** Addresses are kept in lower case. */
export const findByEmail = query((db, p) => db.selectFrom('accounts').selectAll().where('email', '=', p('email')))

export const findAccount = query((db, p) => db.selectFrom('accounts').selectAll().where('id', '=', p('id')))

export const setPassword: Query<unknown> = query((db, p) =>
  db
    .updateTable('accounts')
    .set({ password_hash: p('password_hash'), password_changed_at: p('now'), updated: p('now') })
    .where('id', '=', p('id')),
)

/** The same password, hashed anew: not if it was changed meanwhile. */
export const setHash: Query<unknown> = query((db, p) =>
  db
    .updateTable('accounts')
    .set({ password_hash: p('password_hash') })
    .where('id', '=', p('id'))
    .where('password_hash', '=', p('before')),
)

export const findMembership = query((db, p) =>
  db
    .selectFrom('account_memberships')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

export const setRole: Query<unknown> = query((db, p) =>
  db
    .updateTable('account_memberships')
    .set({ role: p('role'), updated: p('now') })
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user')),
)

/** People who may do everything, and can sign in to do it. */
export const listOwners = query((db, p) =>
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

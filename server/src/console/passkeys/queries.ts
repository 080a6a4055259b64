/** All SQL about passkeys and their challenges. */
import { type Query, query } from '../../db/query.ts'

export const listPasskeysOf = query((db, p) =>
  db.selectFrom('passkeys').selectAll().where('account', '=', p('account')).orderBy('id', 'desc'),
)

export const findPasskey = query((db, p) =>
  db.selectFrom('passkeys').selectAll().where('credential', '=', p('credential')),
)

export const removePasskeys: Query<unknown> = query((db, p) =>
  db.deleteFrom('passkeys').where('account', '=', p('account')),
)

export const removePasskey: Query<unknown> = query((db, p) =>
  db.deleteFrom('passkeys').where('account', '=', p('account')).where('id', '=', p('id')),
)

export const notePasskey: Query<unknown> = query((db, p) =>
  db
    .updateTable('passkeys')
    .set({ counter: p('counter'), last_used_at: p('now') })
    .where('id', '=', p('id')),
)

/** Changes no row when the challenge was answered before. */
export const noteAnswered: Query<unknown> = query((db, p) =>
  db
    .insertInto('passkey_challenges')
    .values({ challenge: p('challenge'), expires_at: p('expires_at') })
    .onConflict((conflict) => conflict.column('challenge').doNothing()),
)

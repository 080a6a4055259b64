/** All SQL about passkeys and their challenges. */
import { type Placeholder, query } from '../../db/query.ts'

export const listPasskeysOfAccount = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('passkeys').selectAll().where('account', '=', p('account')).orderBy('id', 'desc'),
)

export const findPasskey = query((db, p: Placeholder<{ credential: string }>) =>
  db.selectFrom('passkeys').selectAll().where('credential', '=', p('credential')),
)

export const deletePasskeysOfAccount = query((db, p: Placeholder<{ account: string }>) =>
  db.deleteFrom('passkeys').where('account', '=', p('account')),
)

export const deletePasskeyRow = query((db, p: Placeholder<{ account: string; id: string }>) =>
  db.deleteFrom('passkeys').where('account', '=', p('account')).where('id', '=', p('id')),
)

export const updatePasskeyUse = query((db, p: Placeholder<{ counter: number; now: number | null; id: string }>) =>
  db
    .updateTable('passkeys')
    .set({ counter: p('counter'), last_used_at: p('now') })
    .where('id', '=', p('id')),
)

/** Inserts no row if the challenge was used before. */
export const insertUsedChallenge = query((db, p: Placeholder<{ challenge: string; expires_at: number }>) =>
  db
    .insertInto('passkey_challenges')
    .values({ challenge: p('challenge'), expires_at: p('expires_at') })
    .onConflict((conflict) => conflict.column('challenge').doNothing()),
)

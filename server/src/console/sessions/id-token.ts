/**
 * The ID token of the provider that started a session, which the provider gets back at the sign-out (`id_token_hint`, OpenID
 * Connect RP-Initiated Logout §2). It is sealed, and deleted with the end of the session.
 */
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { idTokenContext } from '../../db/secret-key/sealed-values.ts'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'

const find = query((db, p: Placeholder<{ session: string }>) =>
  db.selectFrom('session_id_tokens').select('token').where('session', '=', p('session')),
)

export const deleteIdToken = query((db, p: Placeholder<{ session: string }>) =>
  db.deleteFrom('session_id_tokens').where('session', '=', p('session')),
)

interface OwnedSession {
  readonly id: string
  readonly organization: string
  readonly expiresAt: number
}

/** Keeps the token of a session that begins. A longer one than the bound would not fit into an address. */
export function keepIdToken(tx: Tx, sealer: Sealer, session: OwnedSession, token: string | null, now: number): void {
  if (token === null || token.length > console_limits.id_token_chars_max) return
  const { id, organization, expiresAt } = session
  const sealed = sealer.seal(token, idTokenContext(id))
  tx.insert('session_id_tokens', { session: id, organization, token: sealed, created: now, expires_at: expiresAt })
}

/** The token of a session; null if it has none. */
export async function idTokenOf({ store, sealer }: Pick<Services, 'store' | 'sealer'>, session: string) {
  const row = await store.reader('system').first(find, { session })
  return row === undefined ? null : sealer.open(row.token, idTokenContext(session))
}

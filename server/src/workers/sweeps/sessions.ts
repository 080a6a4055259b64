/** Retention of sign-ins of people and applications: expired rows are removed; links stay longer, so that an owner can see who was invited. */

import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { deleteOld } from '../../db/tables/delete-old.ts'
import { worker_limits } from '../limits.ts'
import type { Worker } from '../worker.ts'

/** The ID tokens of providers, of sessions that have ended by idleness. */
const deleteIdleIdTokens = query((db, p: Placeholder<{ before: number; count: number }>) =>
  db
    .deleteFrom('session_id_tokens')
    .where('session', 'in', (from) =>
      from
        .selectFrom('session_id_tokens as kept')
        .innerJoin('sessions', 'sessions.id', 'kept.session')
        .select('kept.session')
        .where('sessions.last_seen', '<', p('before'))
        .limit(p('count')),
    ),
)

const removals = [
  { removed: deleteOld('session_id_tokens', 'expires_at', ['session']), kept_ms: 0 },
  { removed: deleteIdleIdTokens, kept_ms: limits.session_idle_ms },
  { removed: deleteOld('session_tokens', 'expires_at', ['digest']), kept_ms: 0 },
  { removed: deleteOld('session_cookies', 'expires_at', ['digest']), kept_ms: 0 },
  { removed: deleteOld('sessions', 'expires_at', ['id']), kept_ms: 0 },
  { removed: deleteOld('passkey_challenges', 'expires_at', ['challenge']), kept_ms: 0 },
  { removed: deleteOld('sign_in_flows', 'expires_at', ['state']), kept_ms: 0 },
  { removed: deleteOld('sign_in_failures', 'since', ['subject']), kept_ms: limits.sign_in_window_ms },
  { removed: deleteOld('oauth_codes', 'expires_at', ['digest']), kept_ms: 0 },
  { removed: deleteOld('oauth_grants', 'expires_at', ['id']), kept_ms: 0 },
  { removed: deleteOld('oauth_clients', 'expires_at', ['id']), kept_ms: 0 },
  { removed: deleteOld('account_links', 'expires_at', ['id']), kept_ms: worker_limits.links_kept_ms },
] as const

export const sessionSweep: Worker = {
  name: 'session_sweep',
  does: 'Removes expired sessions, their tokens, links and counts of failed sign-ins, expired access of applications, and unused programs that registered themselves.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 1_000,
  run: ({ store, clock }: Services, count) =>
    store.write('system', async (tx) => {
      let most = 0
      for (const { removed, kept_ms } of removals)
        most = Math.max(most, await tx.run(removed, { before: clock.now() - kept_ms, count }))
      return most
    }),
}

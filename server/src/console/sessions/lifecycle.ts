/** Starts, renews and ends sessions inside a transaction. After its commit, call `evictSessions` for the ended ones. */

import { limits } from '../../api/limits.ts'
import { credentialsOfSession } from '../../api/request/session-credentials.ts'
import type { Services } from '../../api/services.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Cookie } from '../endpoint.ts'
import { console_limits } from '../limits.ts'
import { deleteSubscriptionsOfSession } from '../pushes/queries.ts'
import { newSecret } from './cookie.ts'
import { deleteIdToken, keepIdToken } from './id-token.ts'
import { deleteSessionTokens, listActiveSessions, markCookieReplaced, markSessionEnded } from './queries.ts'
import { proved_here } from './session.ts'

export interface InsertedSession {
  readonly id: string
  readonly cookie: Cookie
  /** Sessions ended to stay within the account's maximum. */
  readonly ended: readonly string[]
}

interface NewSession {
  readonly account: string
  readonly organization: string
  readonly user: string
  readonly ip: string
  readonly userAgent: string | null
  /** The user has just proved their identity, which counts as a step-up. */
  readonly confirmed: boolean
  /** The OpenID provider that proved it. */
  readonly provider: string | null
  /** What the provider said, for the sign-out there. */
  readonly idToken: string | null
  /** Whom the user has proved a second factor to (`SecondFactorState`). */
  readonly provedTo: string | null
}

/** Inserts a session. Ends the least recently used ones over the account's maximum. */
export async function insertSession(
  tx: Tx,
  sealer: Sealer,
  session: NewSession,
  now: number,
): Promise<InsertedSession> {
  const { account, organization, user, ip, userAgent, confirmed, provider, idToken, provedTo } = session
  const active = await tx.all(listActiveSessions, { account, now, idle_since: now - limits.session_idle_ms })
  const ended = active.slice(console_limits.sessions_max - 1).map((row) => row.id)
  for (const id of ended) endSession(tx, id, now)
  const id = newId('ses', now)
  const expiresAt = now + console_limits.session_ms
  tx.insert('sessions', {
    id,
    organization,
    account,
    user,
    created: now,
    last_seen: now,
    expires_at: expiresAt,
    stepped_up_at: confirmed ? now : 0,
    ended_at: null,
    ip,
    user_agent: userAgent,
    provider,
    second_factor_at: provedTo === null ? null : now,
    second_factor_provider: provedTo === proved_here ? null : provedTo,
  })
  keepIdToken(tx, sealer, { id, organization, expiresAt }, idToken, now)
  return { id, cookie: insertCookie(tx, sealer, { id, organization, expiresAt }, now), ended }
}

interface CookieOwner {
  readonly id: string
  readonly organization: string
  readonly expiresAt: number
}

function insertCookie(tx: Tx, sealer: Sealer, { id, organization, expiresAt }: CookieOwner, now: number): Cookie {
  const value = newSecret()
  tx.insert('session_cookies', {
    digest: sealer.digest(value),
    organization,
    session: id,
    created: now,
    replaced_at: null,
    expires_at: expiresAt,
  })
  return { value, expiresAt }
}

/** Replaces the session's cookie; `null` if a concurrent request has already replaced it. */
export async function renewCookie(
  tx: Tx,
  sealer: Sealer,
  session: CookieOwner & { readonly cookie: string },
  now: number,
): Promise<Cookie | null> {
  const replaced = await tx.run(markCookieReplaced, { digest: session.cookie, now })
  return replaced === 0 ? null : insertCookie(tx, sealer, session, now)
}

/** Ends a session, its tokens, the one of its provider, and the notices of its browser. */
export function endSession(tx: Tx, id: string, now: number): void {
  tx.write(markSessionEnded, { id, now })
  tx.write(deleteSessionTokens, { session: id })
  tx.write(deleteIdToken, { session: id })
  tx.write(deleteSubscriptionsOfSession, { session: id })
}

/** Call after the commit: clears this process's credential cache and closes the sessions' open streams. */
export function evictSessions(services: Pick<Services, 'credentials' | 'streams'>, ids: readonly string[]): void {
  if (ids.length === 0) return
  services.credentials.forget()
  for (const id of ids) for (const credential of credentialsOfSession(id)) services.streams.endOf(credential)
}

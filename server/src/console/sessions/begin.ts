/** How sessions begin, get another cookie, and end. What is begun or ended in a transaction holds when that commits. */
import type { Services } from '../../api/services.ts'
import { credentialsOfSession } from '../../api/session-credentials.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Cookie } from '../endpoint.ts'
import { newSecret } from './cookie.ts'
import { endOne, listStanding, removeTokens, replaceCookie } from './queries.ts'

export interface Begun {
  readonly id: string
  readonly cookie: Cookie
  /** Sessions that had to give way. */
  readonly ended: readonly string[]
}

interface Beginning {
  readonly account: string
  readonly organization: string
  readonly user: string
  readonly ip: string
  readonly userAgent: string | null
  /** A proof was given just now. */
  readonly confirmed: boolean
}

/** Begins a session; of too many the one that was used longest ago ends. */
export async function beginSession(tx: Tx, sealer: Sealer, beginning: Beginning, now: number): Promise<Begun> {
  const { account, organization, user, ip, userAgent, confirmed } = beginning
  const standing = await tx.all(listStanding, { account, now, idle_since: now - limits.session_idle_ms })
  const ended = standing.slice(limits.sessions_max - 1).map((each) => each.id)
  for (const id of ended) endSession(tx, id, now)
  const id = newId('ses', now)
  const expiresAt = now + limits.session_ms
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
  })
  return { id, cookie: insertCookie(tx, sealer, { id, organization, expiresAt }, now), ended }
}

interface Held {
  readonly id: string
  readonly organization: string
  readonly expiresAt: number
}

function insertCookie(tx: Tx, sealer: Sealer, { id, organization, expiresAt }: Held, now: number): Cookie {
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

/** Another value for a session's cookie; `null` when a request at the same time has already replaced the one sent. */
export async function renewCookie(
  tx: Tx,
  sealer: Sealer,
  session: Held & { readonly cookie: string },
  now: number,
): Promise<Cookie | null> {
  const replaced = await tx.run(replaceCookie, { digest: session.cookie, now })
  return replaced === 0 ? null : insertCookie(tx, sealer, session, now)
}

/** Ends a session with all of its tokens. */
export function endSession(tx: Tx, id: string, now: number): void {
  tx.write(endOne, { id, now })
  tx.write(removeTokens, { session: id })
}

/** After the commit: this process believes nothing more of what it knew, and ends the streams that are open. */
export function forgetSessions(services: Pick<Services, 'credentials' | 'streams'>, ids: readonly string[]): void {
  if (ids.length === 0) return
  services.credentials.forget()
  for (const id of ids) for (const credential of credentialsOfSession(id)) services.streams.endOf(credential)
}

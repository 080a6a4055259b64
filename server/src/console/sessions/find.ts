/**
 * Finds the session of a request by its cookie. Updates `last_seen` at intervals, and replaces a cookie after a day of
 * use. A replaced cookie that is sent again ends the session: two parties hold it, so one has stolen it.
 */
import type { GuestAccess, Mode, Plan } from '../../api/declare/caller.ts'
import type { Request } from '../../api/declare/request.ts'
import { limits } from '../../api/limits.ts'
import { accessOfRole } from '../../api/request/guest-access.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { Cookie } from '../endpoint.ts'
import { console_limits } from '../limits.ts'
import type { Role } from '../shapes.ts'
import { readCookie } from './cookie.ts'
import { endSession, evictSessions, renewCookie } from './lifecycle.ts'
import { findRealms, findSessionByCookie, updateLastSeen } from './queries.ts'
import { type ActiveSession, proved_here, secondFactorState } from './session.ts'

export interface FoundSession {
  readonly session: ActiveSession | null
  /** A renewed cookie for the browser; `null` removes an invalid one. */
  readonly cookie?: Cookie | null
}

/** The session of a request, or `null`. Rejects with StoreUnavailable if the lookup fails. */
export async function findSession(services: Services, request: Request, now: number): Promise<FoundSession> {
  const value = readCookie(request)
  if (value === null) return { session: null }
  const row = await findRow(services, services.sealer.digest(value))
  if (row === undefined || !isActive(row, now)) return { session: null, cookie: null }
  if (row.replaced_at !== null && now - row.replaced_at >= console_limits.session_overlap_ms) {
    await endStolenSession(services, row)
    return { session: null, cookie: null }
  }
  const session = await toSession(services, row, services.sealer.digest(value))
  if (row.replaced_at === null && now - row.cookie_created >= console_limits.session_rotation_ms) {
    const cookie = await services.store.write('system', async (tx) => {
      tx.write(updateLastSeen, { id: row.id, now })
      return await renewCookie(tx, services.sealer, session, now)
    })
    return cookie === null ? { session } : { session, cookie }
  }
  if (now - row.last_seen >= console_limits.session_use_ms)
    await services.store.write('system', async (tx) => tx.write(updateLastSeen, { id: row.id, now }))
  return { session }
}

/** The session just inserted, by its cookie. */
export async function findNewSession(services: Services, cookie: Cookie): Promise<ActiveSession> {
  const digest = services.sealer.digest(cookie.value)
  const row = await findRow(services, digest)
  if (row === undefined) throw new Error('a session that was just inserted cannot be found')
  return await toSession(services, row, digest)
}

type SessionRow = NonNullable<(typeof findSessionByCookie)['row']>

async function findRow(services: Services, digest: string): Promise<SessionRow | undefined> {
  return await services.store.reader('system').first(findSessionByCookie, { digest })
}

function isActive(row: SessionRow, now: number): boolean {
  const hasEnded = row.ended_at !== null || now >= row.expires_at || now >= row.last_seen + limits.session_idle_ms
  return !hasEnded && row.status === 'active'
}

async function toSession(services: Services, row: SessionRow, cookie: string): Promise<ActiveSession> {
  const realms = await services.store.reader('system').all(findRealms, { organization: row.organization })
  const nothing: GuestAccess = { projects: new Set(), workspaces: new Set() }
  const guest = { live: nothing, test: nothing }
  if (row.role === 'guest') {
    for (const { realm, mode } of realms) {
      const access = await accessOfRole(services.store.reader('system'), row.role, { ...row, realm })
      guest[mode as Mode] = access ?? nothing
    }
  }
  const provedTo = row.second_factor_at === null ? null : (row.second_factor_provider ?? proved_here)
  return {
    id: row.id,
    account: row.account,
    email: row.email,
    emailProved: row.email_proved_at !== null,
    organization: row.organization,
    realms: realms.map(({ realm, mode }) => ({ realm, mode: mode as Mode })),
    plan: row.plan as Plan | null,
    serviceUser: row.service_user,
    user: row.user,
    role: row.role as Role,
    guest: row.role === 'guest' ? guest : null,
    created: row.created,
    expiresAt: row.expires_at,
    steppedUpAt: row.stepped_up_at,
    hasPassword: row.password_changed_at !== 0,
    provider: row.provider,
    secondFactor: secondFactorState(row.second_factor_required === 1, provedTo, {
      authenticator: row.last_step !== null,
      passkey: row.passkey_since !== null,
    }),
    cookie,
  }
}

async function endStolenSession(services: Services, row: SessionRow): Promise<void> {
  const { organization } = row
  const realms = await services.store.reader('system').all(findRealms, { organization })
  const change = {
    organization,
    realms: realms.map(({ realm, mode }) => ({ realm, mode: mode as Mode })),
    action: 'sessions.delete',
    everywhere: true,
  } as const
  await commitSystemChange(services, change, async ({ tx, now, note }) => {
    endSession(tx, row.id, now)
    note({
      target: { object: 'session', id: row.id },
      reason: 'A replaced cookie was used again.',
    })
  })
  evictSessions(services, [row.id])
  services.log.warn('a session was ended: a replaced cookie was used again', { session: row.id })
}

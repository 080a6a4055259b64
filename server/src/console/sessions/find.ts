/**
 * Who sends a request: the session whose cookie it carries. The use of a session is written down now and then; a value
 * that has been in use for a day is replaced, and one that was replaced before ends the session when it comes again,
 * because two hold it then and one of them has stolen it.
 */
import type { Mode, Plan } from '../../api/caller.ts'
import type { Request } from '../../api/request.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import { limits } from '../../lib/limits.ts'
import type { Cookie } from '../endpoint.ts'
import type { Role } from '../shapes.ts'
import { endSession, forgetSessions, renewCookie } from './begin.ts'
import { readCookie } from './cookie.ts'
import { findByCookie, findRealms, noteUse } from './queries.ts'
import type { OpenSession } from './session.ts'

export interface Found {
  readonly session: OpenSession | null
  /** A new value for the browser; `null` takes away one that is good for nothing. */
  readonly cookie?: Cookie | null
}

/** The session of a request, or none. Rejects with StoreUnavailable, never with a session that was not looked up. */
export async function findSession(services: Services, request: Request, now: number): Promise<Found> {
  const value = readCookie(request)
  if (value === null) return { session: null }
  const row = await lookUp(services, services.sealer.digest(value))
  if (row === undefined || !stands(row, now)) return { session: null, cookie: null }
  if (row.replaced_at !== null && now - row.replaced_at >= limits.session_overlap_ms) {
    await endStolen(services, row)
    return { session: null, cookie: null }
  }
  const session = await toSession(services, row, services.sealer.digest(value))
  if (row.replaced_at === null && now - row.cookie_created >= limits.session_rotation_ms) {
    const cookie = await services.store.write('system', async (tx) => {
      tx.write(noteUse, { id: row.id, now })
      return await renewCookie(tx, services.sealer, session, now)
    })
    return cookie === null ? { session } : { session, cookie }
  }
  if (now - row.last_seen >= limits.session_use_ms)
    await services.store.write('system', async (tx) => tx.write(noteUse, { id: row.id, now }))
  return { session }
}

/** The session that has just been given a cookie. */
export async function findBegun(services: Services, cookie: Cookie): Promise<OpenSession> {
  const digest = services.sealer.digest(cookie.value)
  const row = await lookUp(services, digest)
  if (row === undefined) throw new Error('a session that was begun cannot be found')
  return await toSession(services, row, digest)
}

type Row = NonNullable<(typeof findByCookie)['row']>

async function lookUp(services: Services, digest: string): Promise<Row | undefined> {
  return await services.store.reader('system').first(findByCookie, { digest })
}

function stands(row: Row, now: number): boolean {
  const isOver = row.ended_at !== null || now >= row.expires_at || now >= row.last_seen + limits.session_idle_ms
  return !isOver && row.status === 'active'
}

async function toSession(services: Services, row: Row, cookie: string): Promise<OpenSession> {
  const realms = await services.store.reader('system').all(findRealms, { organization: row.organization })
  return {
    id: row.id,
    account: row.account,
    email: row.email,
    organization: row.organization,
    realms: realms.map(({ realm, mode }) => ({ realm, mode: mode as Mode })),
    plan: row.plan as Plan | null,
    serviceUser: row.service_user,
    user: row.user,
    role: row.role as Role,
    created: row.created,
    expiresAt: row.expires_at,
    steppedUpAt: row.stepped_up_at,
    cookie,
  }
}

async function endStolen(services: Services, row: Row): Promise<void> {
  const { organization } = row
  const realms = await services.store.reader('system').all(findRealms, { organization })
  const about = {
    organization,
    realms: realms.map(({ realm, mode }) => ({ realm, mode: mode as Mode })),
    action: 'sessions.delete',
    everywhere: true,
  } as const
  await commitSystemChange(services, about, async ({ tx, now, note }) => {
    endSession(tx, row.id, now)
    note({
      target: { object: 'session', id: row.id },
      reason: 'A value of its cookie came again after it was replaced.',
    })
  })
  forgetSessions(services, [row.id])
  services.log.warn('a session was ended: a replaced value of its cookie came again', { session: row.id })
}

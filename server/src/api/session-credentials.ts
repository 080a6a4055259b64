/**
 * The tokens that a page of the console calls with: short-lived, in the hands of a person, as strong as the person's
 * session. A session has one credential for each mode, and one more for each after a confirmation; its id follows from
 * the session's, so that credits and idempotency keys stay with it over all of its tokens. What the session and its
 * person may do is looked up with the token: a session that was ended has no callers any more.
 */
import { query } from '../db/query.ts'
import type { Reader } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import type { Caller, Mode, Plan } from './caller.ts'
import { type Scope, scopes } from './scopes.ts'
import { newest_version } from './version.ts'

const prefixes = { live: ['sc', 'scm'], test: ['sct', 'sctm'] } as const

/** The id under which a session's tokens are known. */
export function credentialOfSession(session: string, mode: Mode, manage: boolean): string {
  return `${prefixes[mode][manage ? 1 : 0]}_${session.slice(session.indexOf('_') + 1)}`
}

/** All credentials that a session can have. */
export function credentialsOfSession(session: string): string[] {
  return (['live', 'test'] as const).flatMap((mode) =>
    [false, true].map((manage) => credentialOfSession(session, mode, manage)),
  )
}

/** The session that a credential's id names; `null` for the id of a key or of an application's token. */
export function sessionOfCredential(credential: string): string | null {
  return /^sct?m?_/.test(credential) ? `ses_${credential.slice(credential.indexOf('_') + 1)}` : null
}

const without_management: ReadonlySet<Scope> = new Set(scopes.filter((scope) => scope !== 'api:manage'))
const with_management: ReadonlySet<Scope> = new Set(scopes)

/** What a session may do through `/v1`: everything but to manage keys, which admins and owners may when confirmed. */
export function scopesOfSession(manage: boolean, role: string): ReadonlySet<Scope> {
  return manage && role !== 'member' ? with_management : without_management
}

const findToken = query((db, p) =>
  db
    .selectFrom('session_tokens')
    .innerJoin('sessions', 'sessions.id', 'session_tokens.session')
    .innerJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'sessions.organization')
        .onRef('account_memberships.account', '=', 'sessions.account'),
    )
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .innerJoin('organizations', 'organizations.organization', 'sessions.organization')
    .select(['session_tokens.session', 'session_tokens.realm', 'session_tokens.mode', 'session_tokens.manage'])
    .select(['session_tokens.expires_at', 'sessions.organization', 'sessions.created', 'account_memberships.user'])
    .select(['account_memberships.role', 'organizations.plan', 'organizations.service_user'])
    .where('session_tokens.digest', '=', p('digest'))
    .where('sessions.ended_at', 'is', null)
    .where('members.status', '=', 'active'),
)

/** The caller of a session's token, as far as the store tells; the token may be over. */
export async function findSessionCaller(reader: Reader, digest: string): Promise<Caller | null> {
  const row = await reader.first(findToken, { digest })
  if (row === undefined) return null
  const mode = row.mode as Mode
  const manage = row.manage === 1
  return {
    credential: credentialOfSession(row.session, mode, manage),
    kind: 'session',
    organization: row.organization,
    realm: row.realm,
    mode,
    plan: row.plan as Plan | null,
    scopes: scopesOfSession(manage, row.role),
    owner: { type: 'user', id: row.user },
    confirmed: manage,
    apiVersion: newest_version,
    serviceUser: row.service_user,
    createdAt: row.created,
    expiresAt: row.expires_at,
    storeScope: { organization: row.organization, realms: [row.realm] },
  }
}

const findStanding = query((db, p) =>
  db
    .selectFrom('sessions')
    .innerJoin('members', (join) =>
      join.onRef('members.organization', '=', 'sessions.organization').onRef('members.user', '=', 'sessions.user'),
    )
    .innerJoin('organizations', 'organizations.organization', 'sessions.organization')
    .select(['sessions.last_seen', 'sessions.expires_at', 'organizations.plan'])
    .where('sessions.id', '=', p('session'))
    .where('sessions.ended_at', 'is', null)
    .where('members.status', '=', 'active'),
)

/** Whether what a session opened may go on: longer than its token, no longer than the session. */
export async function sessionStands(reader: Reader, caller: Caller, now: number): Promise<boolean> {
  const row = await reader.first(findStanding, { session: sessionOfCredential(caller.credential) })
  if (row === undefined || row.plan === null) return false
  return now < row.expires_at && now < row.last_seen + limits.session_idle_ms
}

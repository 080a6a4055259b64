/**
 * Tokens of console pages: short-lived, with the rights of the person's session. A session has one credential per mode,
 * and another per mode after a confirmation. The credential's id derives from the session's, so credits and idempotency
 * keys outlive single tokens. Rights are read with the token: an ended session has no valid tokens.
 */
import type { ExpressionBuilder } from 'kysely'
import { type Placeholder, query } from '../../db/query.ts'
import type { Schema } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import type { Caller, Mode, Plan } from '../declare/caller.ts'
import { type Scope, scopes } from '../declare/scopes.ts'
import { newest_version } from '../declare/version.ts'
import { limits } from '../limits.ts'
import { accessOfRole } from './guest-access.ts'

const prefixes = { live: ['sc', 'scm'], test: ['sct', 'sctm'] } as const

/** The credential id of a session's tokens. */
export function credentialOfSession(session: string, mode: Mode, manage: boolean): string {
  return `${prefixes[mode][manage ? 1 : 0]}_${session.slice(session.indexOf('_') + 1)}`
}

/** All credential ids of a session. */
export function credentialsOfSession(session: string): string[] {
  return (['live', 'test'] as const).flatMap((mode) =>
    [false, true].map((manage) => credentialOfSession(session, mode, manage)),
  )
}

/** The session of a credential id; null for an API key or access token. */
export function sessionOfCredential(credential: string): string | null {
  return /^sct?m?_/.test(credential) ? `ses_${credential.slice(credential.indexOf('_') + 1)}` : null
}

const without_management: ReadonlySet<Scope> = new Set(scopes.filter((scope) => scope !== 'api:manage'))
/** A second barrier besides the table of rights: what no operation for guests needs. */
const scopes_of_guests: ReadonlySet<Scope> = new Set([
  'api:read',
  'workspaces:read',
  'projects:read',
  'projects:write',
  'tasks:read',
  'tasks:write',
  'comments:read',
  'comments:write',
  'boards:read',
  'boards:write',
  'files:read',
  'files:write',
] satisfies Scope[])

const with_management: ReadonlySet<Scope> = new Set(scopes)

/** The scopes of a session in `/v1`: all but api:manage, which admins and owners get after a confirmation. Guests have fewer. */
export function scopesOfSession(manage: boolean, role: string): ReadonlySet<Scope> {
  if (role === 'guest') return scopes_of_guests
  return manage && (role === 'owner' || role === 'admin') ? with_management : without_management
}

/**
 * The session has the second factor that the joined organization requires, or that its account has set up. Until then its tokens, also
 * those from before, are unknown. What a provider says counts in the session's own organization only.
 */
export function hasSecondFactor(eb: ExpressionBuilder<Schema, 'sessions' | 'organizations'>) {
  const app = eb.selectFrom('authenticators').select('created').whereRef('account', '=', 'sessions.account')
  const counts = eb.or([
    eb('sessions.second_factor_provider', 'is', null),
    eb('sessions.organization', '=', eb.ref('organizations.organization')),
  ])
  return eb.or([
    eb.and([eb('sessions.second_factor_at', 'is not', null), counts]),
    eb.and([eb('organizations.second_factor_required', '=', 0), eb.not(eb.exists(app))]),
  ])
}

const findSessionToken = query((db, p: Placeholder<{ digest: string }>) =>
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
    .where(hasSecondFactor)
    .where('session_tokens.digest', '=', p('digest'))
    .where('sessions.ended_at', 'is', null)
    .where('members.status', '=', 'active'),
)

/** The caller of a session's token. The token may have expired. */
export async function findSessionCaller(reader: Reader, digest: string): Promise<Caller | null> {
  const row = await reader.first(findSessionToken, { digest })
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
    guest: await accessOfRole(reader, row.role, row),
    storeScope: { organization: row.organization, realms: [row.realm] },
  }
}

const findSessionState = query((db, p: Placeholder<{ session: string }>) =>
  db
    .selectFrom('sessions')
    .innerJoin('members', (join) =>
      join.onRef('members.organization', '=', 'sessions.organization').onRef('members.user', '=', 'sessions.user'),
    )
    .innerJoin('organizations', 'organizations.organization', 'sessions.organization')
    .select(['sessions.last_seen', 'sessions.expires_at', 'organizations.plan'])
    .where(hasSecondFactor)
    .where('sessions.id', '=', p('session'))
    .where('sessions.ended_at', 'is', null)
    .where('members.status', '=', 'active'),
)

/** Whether a stream opened by a session may continue: it may outlive its token, not the session. */
export async function isSessionValid(reader: Reader, caller: Caller, now: number): Promise<boolean> {
  const session = sessionOfCredential(caller.credential)
  if (session === null) return false
  const row = await reader.first(findSessionState, { session })
  if (row === undefined || row.plan === null) return false
  return now < row.expires_at && now < row.last_seen + limits.session_idle_ms
}

/** A session that stands: who asks, in which organization, as what. */
import type { Caller, Mode, Plan } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { credentialOfSession, scopesOfSession } from '../../api/session-credentials.ts'
import type { RealmOf } from '../../api/system-change.ts'
import { newest_version } from '../../api/version.ts'
import { limits } from '../../lib/limits.ts'
import type { Role } from '../shapes.ts'

export interface OpenSession {
  readonly id: string
  readonly account: string
  readonly email: string
  readonly organization: string
  /** Both realms, the live one first. */
  readonly realms: readonly RealmOf[]
  readonly plan: Plan | null
  readonly serviceUser: string
  readonly user: string
  readonly role: Role
  readonly created: number
  readonly expiresAt: number
  readonly steppedUpAt: number
  /** The digest of the cookie's value that was sent. */
  readonly cookie: string
}

const ranks: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 }

/** Whether a role is at least another. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least]
}

export function requireRole(session: OpenSession, least: Role): void {
  if (isAtLeast(session.role, least)) return
  throw refuse('role_required', {
    message: least === 'owner' ? 'This takes an owner.' : 'This takes an admin or owner.',
  })
}

/** Until when (milliseconds) nothing needs to be confirmed. */
export function steppedUpUntil(session: OpenSession): number {
  return session.steppedUpAt + limits.step_up_ms
}

export function requireStepUp(session: OpenSession, now: number): void {
  if (now < steppedUpUntil(session)) return
  throw refuse('step_up_required')
}

export function realmOfSession(session: OpenSession, mode: Mode): RealmOf {
  return session.realms.find((realm) => realm.mode === mode) as RealmOf
}

/** The organization's data set of a mode, as the functions take it that the command line uses too. */
export function placeOfSession(session: OpenSession, mode: Mode = 'live'): RealmOf & { readonly organization: string } {
  return { organization: session.organization, ...realmOfSession(session, mode) }
}

/** The person as a caller of `/v1`: for what is read and looked up in the same way there and here. */
export function callerOfSession(session: OpenSession, mode: Mode): Caller {
  const { realm } = realmOfSession(session, mode)
  return {
    credential: credentialOfSession(session.id, mode, false),
    kind: 'session',
    organization: session.organization,
    realm,
    mode,
    plan: session.plan,
    scopes: scopesOfSession(false, session.role),
    owner: { type: 'user', id: session.user },
    apiVersion: newest_version,
    serviceUser: session.serviceUser,
    createdAt: session.created,
    expiresAt: session.expiresAt,
    storeScope: { organization: session.organization, realms: [realm] },
  }
}

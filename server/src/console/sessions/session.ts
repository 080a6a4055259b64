/** An active session: the user, the organization and the role. */
import type { Caller, GuestAccess, Mode, Plan } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { newest_version } from '../../api/declare/version.ts'
import { credentialOfSession, scopesOfSession } from '../../api/request/session-credentials.ts'
import type { RealmMode } from '../../api/write/record.ts'
import { console_limits } from '../limits.ts'
import type { Role } from '../shapes.ts'

export interface ActiveSession {
  readonly id: string
  readonly account: string
  readonly email: string
  /** The person has opened a link from a mail to the address. */
  readonly emailProved: boolean
  readonly organization: string
  /** Both realms, live first. */
  readonly realms: readonly RealmMode[]
  readonly plan: Plan | null
  readonly serviceUser: string
  readonly user: string
  readonly role: Role
  /** What a guest sees of each data set; null for any other role. */
  readonly guest: Readonly<Record<Mode, GuestAccess>> | null
  readonly created: number
  readonly expiresAt: number
  readonly steppedUpAt: number
  readonly hasPassword: boolean
  /** The id of the OpenID provider that started it. */
  readonly provider: string | null
  readonly secondFactor: SecondFactorState
  /** The digest of the request's cookie. */
  readonly cookie: string
}

/** `provedTo` of a second factor that was proved here and not at a provider. It counts in all organizations of the account. */
export const proved_here = 'atrium'

/** What a session still has to do before it reaches its organization: prove a second factor, or set one up as the account has none. */
export type SecondFactorNeed = 'set_up' | 'verify'

export interface SecondFactorState {
  /** By the organization. An account with an authenticator app is asked for its code in every organization. */
  readonly required: boolean
  /** Who has seen the session's person prove one: `atrium`, or the id of an OpenID provider of the organization. */
  readonly provedTo: string | null
  /** The account has a passkey or an authenticator app. */
  readonly exists: boolean
  readonly need: SecondFactorNeed | null
}

/** An account that has a second factor proves it; a password alone sets up the first one, and never another one. */
export function secondFactorState(
  required: boolean,
  provedTo: string | null,
  has: { readonly authenticator: boolean; readonly passkey: boolean },
): SecondFactorState {
  const exists = has.authenticator || has.passkey
  const isNeeded = provedTo === null && (required || has.authenticator)
  return { required, provedTo, exists, need: isNeeded ? (exists ? 'verify' : 'set_up') : null }
}

/** Neither the password nor the word of a provider is enough, wherever the session is: a factor counts in all organizations. */
export function canChangeFactors({ exists, provedTo }: SecondFactorState): boolean {
  return !exists || provedTo === proved_here
}

/** The session after its person has proved a second factor. */
export function withSecondFactor(session: ActiveSession, provedTo: string): ActiveSession {
  return { ...session, secondFactor: { ...session.secondFactor, provedTo, need: null } }
}

/** Whom a second factor counts as proved to in another organization: what a provider of this one vouched for does not. */
export function provedElsewhere({ secondFactor }: ActiveSession): string | null {
  return secondFactor.provedTo === proved_here ? proved_here : null
}

const ranks: Readonly<Record<Role, number>> = { guest: 0, member: 1, admin: 2, owner: 3 }

export function isAtLeast(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least]
}

export function requireRole(session: ActiveSession, least: Role): void {
  if (isAtLeast(session.role, least)) return
  throw refuse('role_required', {
    message:
      least === 'owner' ? 'This action requires the role owner.' : 'This action requires the role admin or owner.',
  })
}

/** The end of the step-up, in milliseconds. */
export function steppedUpUntil(session: ActiveSession): number {
  return session.steppedUpAt + console_limits.step_up_ms
}

export function requireStepUp(session: ActiveSession, now: number): void {
  if (now < steppedUpUntil(session)) return
  throw refuse('step_up_required')
}

export function realmOfSession(session: ActiveSession, mode: Mode): RealmMode {
  return session.realms.find((realm) => realm.mode === mode) as RealmMode
}

/** The realm of a mode with its organization, as the write functions shared with the command line take it. */
export function dataSetOf(session: ActiveSession, mode: Mode = 'live'): RealmMode & { readonly organization: string } {
  return { organization: session.organization, ...realmOfSession(session, mode) }
}

/** The user as a caller of `/v1`, for lookups shared with its operations. */
export function callerOfSession(session: ActiveSession, mode: Mode): Caller {
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
    guest: session.guest?.[mode] ?? null,
    storeScope: { organization: session.organization, realms: [realm] },
  }
}

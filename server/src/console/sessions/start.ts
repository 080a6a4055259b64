/** Signs in after any proof: chooses the organization, inserts the session with its audit entry, sets the cookie. */
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/write/system-change.ts'
import type { Tx } from '../../db/store.ts'
import { requireRealms } from '../../resources/organizations/shared/queries.ts'
import { authorOf, type RequestContext } from '../author.ts'
import type { Cookie } from '../endpoint.ts'
import { moveSubscriptions } from '../pushes/queries.ts'
import type { SignedIn } from '../shapes.ts'
import { endSessions } from './end.ts'
import { findNewSession } from './find.ts'
import { evictSessions, insertSession } from './lifecycle.ts'
import { listMemberships } from './queries.ts'
import type { ActiveSession } from './session.ts'
import { showSignedIn } from './show.ts'

interface SignInContext extends RequestContext {
  readonly origin: string
  /** The session that this browser had before; it ends. */
  readonly session: ActiveSession | null
  readonly setCookie: (cookie: Cookie | null) => void
}

export interface SignInProof {
  readonly account: string
  /** `null`: the one used last. */
  readonly organization: string | null
  /** False if the user has not just proved their identity; the session then starts without a step-up. */
  readonly confirmed?: false
  /** The OpenID provider that proved it. */
  readonly provider?: string | null
  /** The provider's ID token. */
  readonly idToken?: string | null
  /** Whom a second factor was proved to with it, or in the session before (`SecondFactorState`). */
  readonly provedTo?: string | null
  /** Runs in the same transaction. */
  readonly recordProof?: (tx: Tx, now: number) => Promise<void> | void
}

/** Starts a session in one of the account's organizations. Refuses an account without an organization. */
export async function startSession(
  context: SignInContext,
  { account, organization, confirmed, provider, idToken = null, provedTo = null, recordProof }: SignInProof,
): Promise<SignedIn> {
  const { services, session: previous } = context
  const membership = { account, ...(await chooseMembership(services, account, organization)) }
  const author = authorOf(context, membership.user)
  const realms = await requireRealms(services.store, membership.organization)
  const { ip, user_agent: userAgent } = author.source
  const change = {
    organization: membership.organization,
    realms,
    action: 'sessions.create',
    everywhere: true,
    ...author,
  } as const
  const { id, cookie, ended } = await commitSystemChange(services, change, async ({ tx, now, note }) => {
    await recordProof?.(tx, now)
    const proof = { confirmed: confirmed ?? true, provider: provider ?? null, idToken, provedTo }
    const row = { ...membership, ip: ip ?? '', userAgent, ...proof }
    const session = await insertSession(tx, services.sealer, row, now)
    note({ target: { object: 'session', id: session.id } })
    return session
  })
  evictSessions(services, ended)
  // The previous session's organization logs its end. The answer with the new cookie is sent after that commit.
  if (previous !== null) {
    // Who switches the organization keeps the notices of the others.
    const moved = { from: previous.id, to: id, account }
    await services.store.write('system', async (tx) => tx.write(moveSubscriptions, moved))
    await endSessions(context, [previous])
  }
  context.setCookie(cookie)
  return await showSignedIn(context, await findNewSession(services, cookie))
}

/** The membership in the named organization, else the one used last, else the oldest. */
async function chooseMembership(
  services: Services,
  account: string,
  organization: string | null,
): Promise<{ organization: string; user: string }> {
  const memberships = await services.store.reader('system').all(listMemberships, { account })
  const sorted = memberships.toSorted((a, b) => (b.last_seen ?? 0) - (a.last_seen ?? 0))
  const chosen = organization === null ? sorted[0] : sorted.find((each) => each.organization === organization)
  if (chosen !== undefined) return { organization: chosen.organization, user: chosen.user }
  if (organization !== null) {
    throw refuse('resource_not_found', {
      param: 'organization',
      message: 'The account is not a member of this organization.',
    })
  }
  throw refuse('sign_in_failed', { message: 'This account is not a member of any organization.' })
}

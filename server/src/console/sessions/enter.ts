/** Signing in, by whatever proof: the choice of the organization, the session, its audit entry, the cookie. */
import { refuse } from '../../api/errors.ts'
import type { Request } from '../../api/request.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import type { Tx } from '../../db/store.ts'
import { requireRealms } from '../../resources/organizations/queries.ts'
import { authorOf } from '../author.ts'
import type { Cookie } from '../endpoint.ts'
import type { SignedIn } from '../shapes.ts'
import { beginSession, forgetSessions } from './begin.ts'
import { endSessionsOf } from './end.ts'
import { findBegun } from './find.ts'
import { listMemberships } from './queries.ts'
import type { OpenSession } from './session.ts'
import { showSignedIn } from './show.ts'

interface Entering {
  readonly services: Services
  readonly request: Request
  readonly origin: string
  /** Whoever was signed in here before is not any more. */
  readonly session: OpenSession | null
  readonly setCookie: (cookie: Cookie | null) => void
}

export interface Proof {
  readonly account: string
  /** Else the organization that the account was last in. */
  readonly organization: string | null
  /** Nothing was proved just now. */
  readonly confirmed?: false
  /** Written in the same transaction. */
  readonly also?: (tx: Tx, now: number) => Promise<void> | void
}

/** Begins a session in one of the account's organizations. Refuses an account that belongs to none. */
export async function enter(context: Entering, { account, organization, confirmed, also }: Proof): Promise<SignedIn> {
  const { services, session: before } = context
  const chosen = await choose(services, account, organization)
  const author = authorOf(context, chosen.user)
  const realms = await requireRealms(services.store, chosen.organization)
  const about = {
    organization: chosen.organization,
    realms,
    action: 'sessions.create',
    everywhere: true,
    ...author,
  } as const
  const begun = await commitSystemChange(services, about, async ({ tx, now, note }) => {
    await also?.(tx, now)
    const { ip, user_agent: userAgent } = author.source
    const beginning = {
      account,
      organization: chosen.organization,
      user: chosen.user,
      ip: ip ?? '',
      userAgent,
      confirmed: confirmed ?? true,
    }
    const made = await beginSession(tx, services.sealer, beginning, now)
    note({ target: { object: 'session', id: made.id } })
    return made
  })
  forgetSessions(services, begun.ended)
  // With the entry in the log of the organization that it belonged to. The answer, with the new cookie, leaves after that.
  if (before !== null) await endSessionsOf(context, [before])
  context.setCookie(begun.cookie)
  return await showSignedIn(context, await findBegun(services, begun.cookie))
}

/** A membership of the account: the one named, else the one used last, else the oldest. */
async function choose(services: Services, account: string, organization: string | null) {
  const memberships = await services.store.reader('system').all(listMemberships, { account })
  const sorted = memberships.toSorted((a, b) => (b.last_seen ?? 0) - (a.last_seen ?? 0))
  const chosen = organization === null ? sorted[0] : sorted.find((each) => each.organization === organization)
  if (chosen !== undefined) return chosen
  if (organization !== null) {
    throw refuse('resource_not_found', { param: 'organization', message: 'The account does not belong to it.' })
  }
  throw refuse('sign_in_failed', { message: 'This account does not belong to any organization any more.' })
}

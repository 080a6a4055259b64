/** The step-up of a session. Renews its cookie, so that a cookie stolen earlier does not gain the step-up. */
import type { Tx } from '../../db/store.ts'
import { commitAsUser, type RequestContext } from '../author.ts'
import type { Cookie } from '../endpoint.ts'
import type { SignedIn } from '../shapes.ts'
import { renewCookie } from './lifecycle.ts'
import { updateSecondFactor, updateStepUp, updateVouched } from './queries.ts'
import { type ActiveSession, proved_here, provedElsewhere, withSecondFactor } from './session.ts'
import { showSignedIn } from './show.ts'

interface ConfirmContext extends RequestContext {
  readonly origin: string
  readonly session: ActiveSession
  readonly setCookie: (cookie: Cookie | null) => void
}

/** `recordProof` runs in the same transaction. With `provedTo` a second factor is proved, too (`SecondFactorState`). */
export async function confirmSession(
  context: ConfirmContext,
  recordProof: (tx: Tx, now: number) => Promise<void> | void,
  provedTo: string | null = null,
): Promise<SignedIn> {
  const { services, session } = context
  const change = { action: 'sessions.confirm', everywhere: true } as const
  const { cookie, at } = await commitAsUser(context, change, async ({ tx, now, note }) => {
    await recordProof(tx, now)
    tx.write(updateStepUp, { id: session.id, now })
    if (provedTo === proved_here) tx.write(updateSecondFactor, { id: session.id, now, provider: null })
    else if (provedTo !== null) tx.write(updateVouched, { id: session.id, now, provider: provedTo })
    note({ target: { object: 'session', id: session.id } })
    return { cookie: await renewCookie(tx, services.sealer, session, now), at: now }
  })
  if (cookie !== null) context.setCookie(cookie)
  return await showSignedIn(context, {
    ...(provedTo === null ? session : withSecondFactor(session, provedElsewhere(session) ?? provedTo)),
    steppedUpAt: at,
  })
}

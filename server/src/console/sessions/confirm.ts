/** A session that was confirmed: noted, and with another value of its cookie, so that one stolen before is worth nothing. */
import type { Request } from '../../api/request.ts'
import type { Services } from '../../api/services.ts'
import type { Tx } from '../../db/store.ts'
import { commitBy } from '../author.ts'
import type { Cookie } from '../endpoint.ts'
import type { SignedIn } from '../shapes.ts'
import { renewCookie } from './begin.ts'
import { noteStepUp } from './queries.ts'
import type { OpenSession } from './session.ts'
import { showSignedIn } from './show.ts'

interface Confirming {
  readonly services: Services
  readonly request: Request
  readonly origin: string
  readonly session: OpenSession
  readonly setCookie: (cookie: Cookie | null) => void
}

/** `also` belongs to the proof, and is called in the same transaction. */
export async function confirm(
  context: Confirming,
  also: (tx: Tx, now: number) => Promise<void> | void,
): Promise<SignedIn> {
  const { services, session } = context
  const about = { action: 'sessions.confirm', everywhere: true } as const
  const { cookie, at } = await commitBy(context, about, async ({ tx, now, note }) => {
    await also(tx, now)
    tx.write(noteStepUp, { id: session.id, now })
    note({ target: { object: 'session', id: session.id } })
    return { cookie: await renewCookie(tx, services.sealer, session, now), at: now }
  })
  if (cookie !== null) context.setCookie(cookie)
  return await showSignedIn(context, { ...session, steppedUpAt: at })
}

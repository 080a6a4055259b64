import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { endSession, evictSessions } from './lifecycle.ts'
import { showSignedOut } from './show.ts'

/** Signs out: ends the session and its tokens. */
export const signOut = endpoint('DELETE session', {
  needs: 'session',
  async handle(context) {
    const { session, services } = context
    await commitAsUser(context, { action: 'sessions.delete' }, async ({ tx, now, note }) => {
      endSession(tx, session.id, now)
      note({ target: { object: 'session', id: session.id } })
    })
    evictSessions(services, [session.id])
    context.setCookie(null)
    return showSignedOut(context)
  },
})

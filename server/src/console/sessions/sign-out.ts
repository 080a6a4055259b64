import { commitBy } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { endSession, forgetSessions } from './begin.ts'
import { showSignedOut } from './show.ts'

/** Ends the session, and with it every token that it has handed out. */
export const signOut = endpoint('DELETE session', {
  needs: 'session',
  async handle(context) {
    const { session, services } = context
    await commitBy(context, { action: 'sessions.delete' }, async ({ tx, now, note }) => {
      endSession(tx, session.id, now)
      note({ target: { object: 'session', id: session.id } })
    })
    forgetSessions(services, [session.id])
    context.setCookie(null)
    return showSignedOut(context)
  },
})

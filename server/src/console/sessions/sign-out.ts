import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { idTokenOf } from './id-token.ts'
import { endSession, evictSessions } from './lifecycle.ts'
import { showSignedOut } from './show.ts'

/**
 * Signs out: ends the session and its tokens. The answer names the page that ends the session of the OpenID provider which
 * started this one, with the ID token of the sign-in, if the provider has such a page and answers.
 */
export const signOut = endpoint('DELETE session', {
  needs: 'session',
  guests: true,
  before_second_factor: ['set_up', 'verify'],
  async handle(context) {
    const { session, services } = context
    const idToken = await idTokenOf(services, session.id)
    await commitAsUser(context, { action: 'sessions.delete' }, async ({ tx, now, note }) => {
      endSession(tx, session.id, now)
      note({ target: { object: 'session', id: session.id } })
    })
    evictSessions(services, [session.id])
    context.setCookie(null)
    const { origin } = context
    const provider = services.openid.get(session.provider ?? '')
    // The session has ended here, whatever the provider answers.
    const url = await provider?.endSessionUrl(`${origin}/sign-in`, idToken).catch(() => null)
    return { ...showSignedOut(context), ...(url ? { end_session_url: url } : {}) }
  },
})

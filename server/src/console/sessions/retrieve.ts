import { endpoint } from '../endpoint.ts'
import { showSignedIn, showSignedOut } from './show.ts'

/** Retrieves the session, signed in or out, with the page's settings of the installation. */
export const retrieveSession = endpoint('GET session', {
  needs: 'nothing',
  handle: async (context) =>
    context.session === null ? showSignedOut(context) : await showSignedIn(context, context.session),
})

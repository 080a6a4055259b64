import { endpoint } from '../endpoint.ts'
import { showSignedIn, showSignedOut } from './show.ts'

/** Says who is signed in, or that nobody is; and what the page needs to know of the installation. */
export const retrieveSession = endpoint('GET session', {
  needs: 'nothing',
  handle: async (context) =>
    context.session === null ? showSignedOut(context) : await showSignedIn(context, context.session),
})

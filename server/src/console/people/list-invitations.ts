import { endpoint } from '../endpoint.ts'
import { showInvitation } from './invitation.ts'
import { listInvitationsOf } from './queries.ts'

/** Lists the invitations that can still be accepted, newest first. */
export const listInvitations = endpoint('GET invitations', {
  needs: 'session',
  role: 'admin',
  async handle({ services, session: { organization }, now }) {
    const rows = await services.store.reader({ organization, realms: [] }).all(listInvitationsOf, { organization, now })
    return { data: rows.map(showInvitation) }
  },
})

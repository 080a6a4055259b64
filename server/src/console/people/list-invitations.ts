import { endpoint } from '../endpoint.ts'
import { showInvitation } from './invitation.ts'
import { listOpenInvitations } from './queries.ts'

/** Lists the open invitations, newest first. */
export const listInvitations = endpoint('GET invitations', {
  needs: 'session',
  role: 'admin',
  async handle({ services, session: { organization }, now }) {
    const rows = await services.store
      .reader({ organization, realms: [] })
      .all(listOpenInvitations, { organization, now })
    return { data: rows.map(showInvitation) }
  },
})

import { limits } from '../../api/limits.ts'
import { endpoint } from '../endpoint.ts'
import { endSessions } from './end.ts'
import { listActiveSessions } from './queries.ts'

/** Ends all other sessions of the account. */
export const revokeOtherSessions = endpoint('DELETE sessions', {
  needs: 'session',
  guests: true,
  async handle(context) {
    const { services, session, now } = context
    const idle_since = now - limits.session_idle_ms
    const rows = await services.store
      .reader('system')
      .all(listActiveSessions, { account: session.account, now, idle_since })
    const others = rows.filter((row) => row.id !== session.id)
    await endSessions(context, others)
    return { ended: others.length }
  },
})

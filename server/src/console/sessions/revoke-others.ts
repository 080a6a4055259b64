import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { endSessionsOf } from './end.ts'
import { listStanding } from './queries.ts'

/** Ends all sessions of one's own account but this one. */
export const revokeOtherSessions = endpoint('DELETE sessions', {
  needs: 'session',
  async handle(context) {
    const { services, session, now } = context
    const idle_since = now - limits.session_idle_ms
    const rows = await services.store.reader('system').all(listStanding, { account: session.account, now, idle_since })
    const others = rows.filter((row) => row.id !== session.id)
    await endSessionsOf(context, others)
    return { ended: others.length }
  },
})

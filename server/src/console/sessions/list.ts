import { limits } from '../../api/limits.ts'
import { seconds } from '../../lib/clock.ts'
import { endpoint } from '../endpoint.ts'
import { listActiveSessions } from './queries.ts'

/** Lists the account's active sessions in all of its organizations, the most recently used first. */
export const listSessions = endpoint('GET sessions', {
  needs: 'session',
  guests: true,
  async handle({ services, session, now }) {
    const { account } = session
    const idle_since = now - limits.session_idle_ms
    const rows = await services.store.reader('system').all(listActiveSessions, { account, now, idle_since })
    return {
      data: rows.map((row) => ({
        id: row.id,
        created: seconds(row.created),
        last_seen: seconds(row.last_seen),
        expires_at: seconds(row.expires_at),
        ip: row.ip,
        user_agent: row.user_agent,
        organization: { id: row.organization, name: row.name },
        current: row.id === session.id,
      })),
    }
  },
})

import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { endpoint } from '../endpoint.ts'
import { endSessions } from './end.ts'
import { listActiveSessions } from './queries.ts'

/** Ends a session of the account, possibly the current one. Sessions of other accounts answer 404. */
export const revokeSession = endpoint('DELETE sessions/{id}', {
  needs: 'session',
  guests: true,
  async handle(context) {
    const { services, session, params, now } = context
    const { id = '' } = params
    const idle_since = now - limits.session_idle_ms
    const rows = await services.store
      .reader('system')
      .all(listActiveSessions, { account: session.account, now, idle_since })
    const matches = rows.filter((row) => row.id === id)
    if (matches.length === 0) throw refuse('resource_not_found', { param: 'id' })
    await endSessions(context, matches)
    if (id === session.id) context.setCookie(null)
    return { id, object: 'session', deleted: true }
  },
})

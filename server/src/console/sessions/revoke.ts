import { refuse } from '../../api/errors.ts'
import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { endSessionsOf } from './end.ts'
import { listStanding } from './queries.ts'

/** Ends one session of one's own account, the present one too, with all of its tokens. Others' are not there. */
export const revokeSession = endpoint('DELETE sessions/{id}', {
  needs: 'session',
  async handle(context) {
    const { services, session, params, now } = context
    const { id = '' } = params
    const idle_since = now - limits.session_idle_ms
    const rows = await services.store.reader('system').all(listStanding, { account: session.account, now, idle_since })
    const found = rows.filter((row) => row.id === id)
    if (found.length === 0) throw refuse('resource_not_found', { param: 'id' })
    await endSessionsOf(context, found)
    if (id === session.id) context.setCookie(null)
    return { id, object: 'session', deleted: true }
  },
})

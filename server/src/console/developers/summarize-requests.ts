import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { choiceParameter, modeParameter } from '../fields.ts'
import { realmOfSession } from '../sessions/session.ts'
import { log_end, walkLog } from './log-walk.ts'
import { Summary } from './summarize.ts'

/** The log of an hour, a day or a week added up, as far as it can be looked at in one request. */
export const summarizeRequests = endpoint('GET request-logs/summary', {
  needs: 'session',
  role: 'admin',
  query: { mode: modeParameter, window: choiceParameter('1h', '24h', '7d') },
  async handle({ services, session, query, now }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    await services.requestLog.flush()
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const summary = new Summary(query.window ?? '24h', seconds(now))
    let seen = 0
    for await (const entry of walkLog(reader, { realm, ...log_end })) {
      if (!summary.add(entry)) break
      if (++seen === limits.console_summary_seen_max) return summary.show(entry.created)
    }
    return summary.show(null)
  },
})

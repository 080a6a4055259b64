import { log_end, scanLog } from '../../api/request-log/scan-log.ts'
import { seconds } from '../../lib/clock.ts'
import { endpoint } from '../endpoint.ts'
import { choiceParameter, modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { realmOfSession } from '../sessions/session.ts'
import { LogSummaryBuilder } from './log-summary.ts'

/** Summarizes the request log of an hour, a day or a week, up to the number of entries that one request may scan. */
export const summarizeRequests = endpoint('GET request-logs/summary', {
  needs: 'session',
  role: 'admin',
  query: { mode: modeParameter, window: choiceParameter('1h', '24h', '7d') },
  async handle({ services, session, query, now }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    await services.requestLog.flush()
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const summary = new LogSummaryBuilder(query.window ?? '24h', seconds(now))
    let scanned = 0
    for await (const entry of scanLog(reader, { realm, ...log_end })) {
      if (!summary.add(entry)) break
      if (++scanned === console_limits.console_summary_seen_max) return summary.show(entry.created)
    }
    return summary.show(null)
  },
})

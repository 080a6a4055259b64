import { refuse } from '../../api/declare/errors.ts'
import { idParameter, type Parameter, secondsParameter, textParameter } from '../../api/declare/parameters.ts'
import { log_end, scanAfter, scanLog } from '../../api/request-log/scan-log.ts'
import { endpoint } from '../endpoint.ts'
import { choiceParameter, modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { realmOfSession } from '../sessions/session.ts'
import type { LoggedRequest } from '../shapes.ts'
import { operationOf } from './log-summary.ts'

/** Maximum length of an operation id or error code, in characters. */
const word_max = 80
const path_max = 500
/** Credentials of console sessions. */
const session_credential = /^sct?m?_/

interface RequestFilter {
  readonly operation?: string
  readonly status?: string
  readonly code?: string
  readonly credential?: string
  readonly path?: string
  readonly console?: 'hidden'
  readonly before?: number
  readonly after?: number
}

/** Lists API requests, newest first. Each page scans a bounded number of entries, so rare matches may take several pages. */
export const listRequests = endpoint('GET request-logs', {
  needs: 'session',
  role: 'admin',
  query: {
    mode: modeParameter,
    cursor: idParameter('next_cursor of the previous page'),
    operation: textParameter(word_max, 'an operation’s id'),
    status: statusParameter(),
    code: textParameter(word_max, 'an error’s code'),
    credential: idParameter('a key’s, token’s or session’s id'),
    path: textParameter(path_max, 'the beginning of a path'),
    console: choiceParameter('hidden'),
    before: secondsParameter('requests before this time'),
    after: secondsParameter('requests from this time on'),
  },
  async handle({ services, session, query }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    await services.requestLog.flush()
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const data: LoggedRequest[] = []
    let scanned = 0
    for await (const entry of scanLog(reader, {
      realm,
      ...(query.cursor === undefined ? log_end : scanAfter(query.cursor, 'cursor')),
    })) {
      if (query.after !== undefined && entry.created < query.after) break
      if (matchesFilter(entry, query)) data.push(entry)
      if (data.length === console_limits.console_page || ++scanned === console_limits.console_log_seen_max) {
        return { data, next_cursor: entry.id }
      }
    }
    return { data, next_cursor: null }
  },
})

function matchesFilter(entry: LoggedRequest, filter: RequestFilter): boolean {
  return (
    (filter.operation === undefined || operationOf(entry) === filter.operation) &&
    (filter.code === undefined || entry.error_code === filter.code) &&
    (filter.credential === undefined || entry.credential === filter.credential) &&
    (filter.path === undefined || entry.path.startsWith(filter.path)) &&
    (filter.console === undefined || !session_credential.test(entry.credential ?? '')) &&
    (filter.before === undefined || entry.created < filter.before) &&
    (filter.status === undefined || matchesStatus(entry.status, filter.status))
  )
}

function matchesStatus(status: number, pattern: string): boolean {
  return pattern.endsWith('xx') ? Math.floor(status / 100) === Number(pattern[0]) : status === Number(pattern)
}

function statusParameter(): Parameter<string> {
  const plain = textParameter(3, 'a status such as 404, or 2xx, 3xx, 4xx or 5xx')
  return {
    ...plain,
    read(values, name) {
      const text = plain.read(values, name)
      if (/^[2-5](xx|\d\d)$/.test(text)) return text
      throw refuse('invalid_query_parameter', {
        param: name,
        message: `\`${name}\` cannot be \`${text}\`. Use a status such as 404, or 2xx, 3xx, 4xx or 5xx.`,
      })
    },
  }
}

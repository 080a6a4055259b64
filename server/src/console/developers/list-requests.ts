import { refuse } from '../../api/errors.ts'
import { placeOf } from '../../api/log-batches.ts'
import { idParameter, type Parameter, secondsParameter, textParameter } from '../../api/parameters.ts'
import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { realmOfSession } from '../sessions/session.ts'
import type { LoggedRequest } from '../shapes-developers.ts'
import { log_end, walkLog } from './log-walk.ts'

/** Characters of an operation's id, an error's code. */
const word_max = 80

interface Wanted {
  readonly operation?: string
  readonly status?: string
  readonly code?: string
  readonly credential?: string
  readonly before?: number
  readonly after?: number
}

/** Requests to the API, the newest first. A page looks at so many entries at most: what is rare may take several pages. */
export const listRequests = endpoint('GET request-logs', {
  needs: 'session',
  role: 'admin',
  query: {
    mode: modeParameter,
    cursor: idParameter('next_cursor of the page before'),
    operation: textParameter(word_max, 'an operation’s id'),
    status: statusParameter(),
    code: textParameter(word_max, 'an error’s code'),
    credential: idParameter('a key’s, token’s or session’s id'),
    before: secondsParameter('requests before this time'),
    after: secondsParameter('requests from this time on'),
  },
  async handle({ services, session, query }) {
    const { realm } = realmOfSession(session, query.mode ?? 'live')
    await services.requestLog.flush()
    const reader = services.store.reader({ organization: session.organization, realms: [realm] })
    const data: LoggedRequest[] = []
    let seen = 0
    for await (const entry of walkLog(reader, { realm, ...placeOfCursor(query.cursor) })) {
      if (query.after !== undefined && entry.created < query.after) break
      if (fits(entry, query)) data.push(entry)
      if (data.length === limits.console_page || ++seen === limits.console_log_seen_max) {
        return { data, next_cursor: entry.id }
      }
    }
    return { data, next_cursor: null }
  },
})

function placeOfCursor(cursor: string | undefined) {
  if (cursor === undefined) return log_end
  const place = placeOf(cursor)
  if (place === null) throw refuse('cursor_invalid', { param: 'cursor' })
  return { before: cursor, around: place.last }
}

function fits(entry: LoggedRequest, wanted: Wanted): boolean {
  return (
    (wanted.operation === undefined || entry.operation === wanted.operation) &&
    (wanted.code === undefined || entry.error_code === wanted.code) &&
    (wanted.credential === undefined || entry.credential === wanted.credential) &&
    (wanted.before === undefined || entry.created < wanted.before) &&
    (wanted.status === undefined || fitsStatus(entry.status, wanted.status))
  )
}

/** `4xx` is all of them. */
function fitsStatus(status: number, wanted: string): boolean {
  return wanted.endsWith('xx') ? Math.floor(status / 100) === Number(wanted[0]) : status === Number(wanted)
}

function statusParameter(): Parameter<string> {
  const plain = textParameter(3, 'a status, or 2xx, 3xx, 4xx, 5xx')
  return {
    ...plain,
    read(values, name) {
      const text = plain.read(values, name)
      if (/^[2-5](xx|\d\d)$/.test(text)) return text
      throw refuse('invalid_query_parameter', { param: name, message: `${name} must be a status, or 2xx to 5xx.` })
    },
  }
}

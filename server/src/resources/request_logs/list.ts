import { refuse } from '../../api/declare/errors.ts'
import { type ListContext, listOperation, operationIds } from '../../api/declare/operation.ts'
import type { Page } from '../../api/declare/page-shape.ts'
import { listParameter, secondsParameter, textParameter, wordListParameter } from '../../api/declare/parameters.ts'
import { quoted, suggest } from '../../api/declare/quoted.ts'
import { limits } from '../../api/limits.ts'
import { readPageRequest } from '../../api/request/page.ts'
import { type LoggedRequest, log_end, scanAfter, scanBefore, scanLog } from '../../api/request-log/scan-log.ts'
import { millis } from '../../lib/clock.ts'
import { idTime } from '../../lib/ids.ts'
import { requestLogNoun } from './request_log.ts'

const classes = ['2xx', '3xx', '4xx', '5xx'] as const
const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'] as const

interface Filters {
  readonly status?: readonly string[] | undefined
  readonly status_class?: readonly string[] | undefined
  readonly operation?: readonly string[] | undefined
  readonly credential?: readonly string[] | undefined
  readonly method?: readonly string[] | undefined
  readonly path_prefix?: string | undefined
  readonly created_after?: number | undefined
  readonly created_before?: number | undefined
}

/**
 * Lists the requests of the caller's realm of the last seven days, newest first; the times are exclusive. A page looks at a
 * bounded number of requests: where few match, it can have fewer than `limit` or none, with `has_more` true.
 */
export const listRequestLogs = listOperation({
  id: 'request_logs.list',
  method: 'GET',
  path: '/v1/request_logs',
  summary: 'List request logs',
  scope: 'api:read',
  credits: 5,
  extension: true,
  paging: 'id_forward',
  lists: requestLogNoun,
  query: {
    status: listParameter('Status of the answer: `404`.'),
    status_class: wordListParameter(classes, 'Class of the status: `2xx`, `3xx`, `4xx` or `5xx`.'),
    operation: listParameter('Id of the operation: `tasks.create`; `none` for requests that met no operation.'),
    credential: listParameter('Id of the credential that sent the request.'),
    method: wordListParameter(methods, 'HTTP method: `POST`.'),
    path_prefix: textParameter(limits.logged_path_chars_max, 'Start of the path: `/v1/tasks`.'),
    created_after: secondsParameter('Unix seconds; only later requests.'),
    created_before: secondsParameter('Unix seconds; only earlier requests.'),
  },
  handle: (context) => readPage(context, context.query),
})

async function readPage(context: ListContext<Filters, unknown>, filters: Filters): Promise<Page> {
  checkFilters(filters)
  const { caller, services, reader, now } = context
  const { limit, cursor } = readPageRequest(context.query)
  if (cursor !== null && (await services.requestLog.find(caller, cursor)) === undefined) {
    throw refuse('cursor_invalid', { param: 'starting_after' })
  }
  await services.requestLog.flush()
  const oldest = Math.max(now - limits.request_log_retention_ms, millis((filters.created_after ?? -1) + 1))
  const data: LoggedRequest[] = []
  let last: string | null = null
  let scanned = 0
  for await (const entry of scanLog(reader, { realm: caller.realm, ...startOf(cursor, filters.created_before) })) {
    // An id is never older than its request, so nothing behind it can match.
    if (idTime(entry.id) < oldest) break
    if (data.length === limit || scanned === limits.request_log_scanned_max) {
      return { data, has_more: true, next_cursor: last }
    }
    scanned++
    last = entry.id
    if (millis(entry.created) + 999 >= oldest && matches(entry, filters)) data.push(entry)
  }
  return { data, has_more: false, next_cursor: null }
}

/** The earlier of cursor and time. */
function startOf(cursor: string | null, created_before: number | undefined) {
  const below = cursor === null ? log_end : scanAfter(cursor, 'starting_after')
  if (created_before === undefined) return below
  const earlier = scanBefore(millis(Math.min(created_before, limits.moment_seconds_max)))
  return earlier.before < below.before ? earlier : below
}

function matches(entry: LoggedRequest, filters: Filters): boolean {
  const { status, status_class, operation, credential, method, path_prefix, created_after, created_before } = filters
  const isOneOf = (values: readonly string[] | undefined, value: string) => values?.includes(value) ?? true
  return (
    isOneOf(status, String(entry.status)) &&
    isOneOf(status_class, `${Math.floor(entry.status / 100)}xx`) &&
    isOneOf(operation, entry.operation ?? 'none') &&
    isOneOf(credential, entry.credential) &&
    isOneOf(method, entry.method) &&
    entry.path.startsWith(path_prefix ?? '') &&
    entry.created > (created_after ?? -1) &&
    entry.created < (created_before ?? Number.POSITIVE_INFINITY)
  )
}

/** Refuses values that no entry can have (contract/09#request-log-list). */
function checkFilters({ status, operation, path_prefix }: Filters): void {
  const wrong = (param: string, message: string) => refuse('invalid_query_parameter', { param, message })
  const badStatus = status?.find((text) => !/^[1-5]\d\d$/.test(text))
  if (badStatus !== undefined) {
    throw wrong('status', `status cannot be ${quoted(badStatus)}. Use a status such as 404.`)
  }
  const strange = operation?.find((id) => id !== 'none' && !operationIds.has(id))
  if (strange !== undefined) {
    const meant = suggest(strange, [...operationIds])
    throw wrong('operation', `operation cannot be ${quoted(strange)}.${meant} Use the id of an operation, or none.`)
  }
  if (path_prefix !== undefined && !path_prefix.startsWith('/')) {
    throw wrong(
      'path_prefix',
      `path_prefix cannot be ${quoted(path_prefix)}. Use the start of a path, such as /v1/tasks.`,
    )
  }
}

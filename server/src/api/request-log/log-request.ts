/** Logs a finished request: names and figures, never bodies, query values or credentials (contract/09#request-log). */
import { seconds } from '../../lib/clock.ts'
import { redactCredentials } from '../declare/credential-format.ts'
import type { Answer, Request } from '../declare/request.ts'
import { limits } from '../limits.ts'
import type { Call } from '../request/call.ts'
import type { RequestLog } from './request-log.ts'

/**
 * Logs a request with a valid credential, also one that met no operation; without a credential no organization's log could
 * hold it.
 */
export function logRequest(log: RequestLog, call: Call, answer: Answer, charged: number, now: number): void {
  const { request, caller, operation } = call
  if (caller === null) return
  const length = Number(request.headers['content-length'] ?? 0)
  const entry = {
    id: request.id,
    object: 'request_log',
    created: seconds(request.receivedAt),
    method: request.method,
    route: operation?.path ?? null,
    path: redactCredentials(request.path).slice(0, limits.logged_path_chars_max),
    query_parameters: call.queryNames,
    operation: operation?.id ?? null,
    status: answer.status,
    error_code: call.errorCode,
    // A field name in a body can be any text, even a credential.
    error_param: call.errorParam === null ? null : redactCredentials(call.errorParam),
    credential: caller.credential,
    owner: caller.owner,
    mode: caller.mode,
    api_version: call.version ?? caller.apiVersion,
    cost: operation?.credits ?? 0,
    charged,
    duration_ms: Math.max(0, now - request.receivedAt),
    dry_run: call.dryRun,
    idempotency_replayed: call.originalRequest !== null,
    original_request: call.originalRequest,
    ip: truncatedAddress(request.ip),
    user_agent: readUserAgent(request),
    request_bytes: Number.isSafeInteger(length) ? length : 0,
    response_bytes: answer.body === null ? 0 : Buffer.byteLength(answer.body),
    events: call.events.slice(0, limits.logged_events_max),
    expires_at: seconds(request.receivedAt + limits.request_log_retention_ms),
  }
  log.add({ realm: caller.realm, id: request.id, created: request.receivedAt, entry: JSON.stringify(entry) })
}

let lastAgent = ''
let lastShownAgent = ''

/** The User-Agent, redacted and cut. The last one is cached: most requests repeat it. */
export function readUserAgent(request: Request): string | null {
  const agent = request.headers['user-agent']
  if (agent === undefined) return null
  const text = String(agent)
  if (text !== lastAgent) {
    lastAgent = text
    lastShownAgent = redactCredentials(text).slice(0, limits.user_agent_chars_max)
  }
  return lastShownAgent
}

let lastAddress = ''
let lastTruncated = ''

/** The last address is cached: most requests repeat it. */
function truncatedAddress(address: string): string {
  if (address !== lastAddress) {
    lastAddress = address
    lastTruncated = truncateAddress(address)
  }
  return lastTruncated
}

/** An address without the part that identifies a person: /24 of IPv4, /48 of IPv6 (contract/09#redaction). */
export function truncateAddress(address: string): string {
  const mapped = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
  if (mapped.includes('.')) return `${mapped.slice(0, mapped.lastIndexOf('.'))}.0/24`
  const [left = '', right] = mapped.split('::')
  const head = left === '' ? [] : left.split(':')
  const tail = right === undefined || right === '' ? [] : right.split(':')
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length
  const groups = [...head, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...tail]
  return `${groups.slice(0, 3).join(':')}::/48`
}

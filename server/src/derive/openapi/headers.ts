/** The headers of requests and answers, each described once. */
import { newest_version } from '../../api/declare/version.ts'
import { limits } from '../../api/limits.ts'
import type { JsonObject } from './json.ts'

const string = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
const request_id = { type: 'string', pattern: '^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$' }
const date = { type: 'string', format: 'date' }

interface Header {
  readonly description: string
  readonly schema: JsonObject
  readonly required?: true
  readonly example?: unknown
}

/** Of answers. `required`: present on every answer that lists it. */
export const answerHeaders = {
  'X-Request-Id': {
    description:
      'Id of this request, assigned by the server. Quote it when you ask for help; `GET /v1/request_logs/{id}` shows the request.',
    schema: request_id,
    required: true,
    example: 'req_01J4ZK3V8M0000000000000000',
  },
  'Service-Version': {
    description: 'API version of the answer.',
    schema: date,
    required: true,
    example: newest_version,
  },
  ETag: {
    description:
      'Strong entity tag of the bytes; for a mutable object it begins with the revision. Send it as `If-None-Match` or `If-Match`.',
    schema: string,
    required: true,
    example: '"1-p3fMbO9XkqLr0m6dXhTnYw"',
  },
  'X-RateLimit-Cost': {
    description: 'List price of the operation in credits, even if nothing was charged.',
    schema: { type: 'integer', minimum: 1 },
    required: true,
    example: 10,
  },
  'X-RateLimit-Limit': {
    description: 'Size of the window with the least remaining credits. Absent without limits.',
    schema: { type: 'integer', minimum: 1 },
    example: 1000,
  },
  'X-RateLimit-Remaining': { description: 'Remaining credits of that window.', schema: count, example: 990 },
  'X-RateLimit-Reset': { description: 'End of that window, in Unix seconds.', schema: count, example: 1785844860 },
  'RateLimit-Policy': {
    description: 'Every limited window with its credits (`q`) and its length in seconds (`w`).',
    schema: string,
    example: '"minute";q=1000;w=60, "day";q=100000;w=86400',
  },
  RateLimit: {
    description: 'Remaining credits of every limited window (`r`) and seconds until its end (`t`).',
    schema: string,
    example: '"minute";r=990;t=60, "day";r=99990;t=43200',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry, at least 1.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer of an earlier request with the same key. It costs nothing.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Original-Request': {
    description: 'Id of the request that first got the replayed answer.',
    schema: request_id,
    example: 'req_01J4ZK3V8M0000000000000000',
  },
  'Preference-Applied': {
    description: '`dry-run` after a dry run: nothing was changed.',
    schema: { type: 'string', const: 'dry-run' },
    example: 'dry-run',
  },
  'WWW-Authenticate': { description: 'Accepted authentication scheme.', schema: { type: 'string', const: 'Bearer' } },
} as const satisfies Record<string, Header>

export type AnswerHeader = keyof typeof answerHeaders

const windows = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const
const always = ['X-Request-Id', 'Service-Version'] as const

/** Of successes. */
export const readHeaders: readonly AnswerHeader[] = [...always, 'ETag', 'X-RateLimit-Cost', ...windows]
export const writeHeaders: readonly AnswerHeader[] = [
  ...always,
  'Idempotent-Replayed',
  'Original-Request',
  'Preference-Applied',
  'X-RateLimit-Cost',
  ...windows,
]
/** Of a 304. */
export const unmodifiedHeaders: readonly AnswerHeader[] = ['ETag', 'X-Request-Id', ...windows]
/** Of an error with this status. */
export function errorHeaders(status: number): readonly AnswerHeader[] {
  const own: AnswerHeader[] = []
  if (status === 401) own.push('WWW-Authenticate')
  if (status === 429 || status === 503 || status === 409) own.push('Retry-After')
  if (status === 404 || status === 409 || status === 410) own.push('Idempotent-Replayed', 'Original-Request')
  return [...always, ...own, 'Preference-Applied', ...(status < 401 || status > 403 ? windows : [])]
}

export function headersOf(names: readonly AnswerHeader[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const tag = { type: 'string', minLength: 1 }

/**
 * Of requests, by the name of their component. Headers that change the meaning of a request have no example: tools put
 * examples into sample requests, and readers copy those.
 */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      `Your name for this write: 1 to ${limits.idempotency_key_chars_max} visible ASCII characters; quotes around it are ignored. ` +
      'Within 24 hours the same key with the same input repeats the first answer; with other input it is refused.',
    schema: {
      type: 'string',
      pattern: `^(?:[!#-~][!-~]{0,${limits.idempotency_key_chars_max - 1}}|"[!#-\\[\\]-~]{1,${limits.idempotency_key_chars_max}}")$`,
    },
    example: 'b6cf2f37-7ad2-4b0e-9e0c-0f6b1f4f0c7d',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`dry-run`: run all checks and answer what the write would answer, with its events and its price, but change nothing. Costs 1 credit. ' +
      'Other preferences are ignored (RFC 7240).',
    schema: string,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Performs the write only if the object has this revision: an `ETag`, `"7"`, `7` or `*`. Otherwise 409 `resource_conflict` names the current one.',
    schema: tag,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags that you have, or `*`: if one is current, the answer is 304 without a body and costs nothing.',
    schema: tag,
  },
  ServiceVersion: {
    name: 'Service-Version',
    in: 'header',
    description: "API version to use, a date. The credential's version by default.",
    schema: date,
    example: newest_version,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'Id of the last event you handled: the stream resumes after it without gaps or duplicates. Without it the stream starts with the next event.',
    schema: { type: 'string', maxLength: limits.id_chars_max },
  },
} as const satisfies Record<string, JsonObject>

export type RequestHeader = keyof typeof requestHeaders

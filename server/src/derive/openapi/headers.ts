/** The headers of requests and answers, each described once (contract §4.1, decisions §3, §4, §5). */
import { newest_version } from '../../api/version.ts'
import { limits } from '../../lib/limits.ts'
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

/** Of answers. `required`: on every answer that names it. */
export const answerHeaders = {
  'X-Request-Id': {
    description:
      'The id of this request, made by the server. Quote it to support; `GET /v1/request_logs/{id}` tells of it.',
    schema: request_id,
    required: true,
    example: 'req_01J4ZK3V8M0000000000000000',
  },
  'Service-Version': {
    description: 'The version that the answer speaks.',
    schema: date,
    required: true,
    example: newest_version,
  },
  ETag: {
    description:
      'A strong tag of the bytes; of an object that can change it begins with its revision. Send it as `If-None-Match` or `If-Match`.',
    schema: string,
    required: true,
    example: '"1-p3fMbO9XkqLr0m6dXhTnYw"',
  },
  'X-RateLimit-Cost': {
    description: 'The list price of the operation in credits, also where nothing was charged.',
    schema: { type: 'integer', minimum: 1 },
    required: true,
    example: 10,
  },
  'X-RateLimit-Limit': {
    description: 'Credits of the window with the least remaining. Absent when nothing is limited.',
    schema: { type: 'integer', minimum: 1 },
    example: 1000,
  },
  'X-RateLimit-Remaining': { description: 'What remains of that window.', schema: count, example: 990 },
  'X-RateLimit-Reset': { description: 'When that window ends, in Unix seconds.', schema: count, example: 1785844860 },
  'RateLimit-Policy': {
    description: 'Every limited window with its credits (`q`) and its length in seconds (`w`).',
    schema: string,
    example: '"minute";q=1000;w=60, "day";q=100000;w=86400',
  },
  RateLimit: {
    description: 'What remains of every limited window (`r`) and the seconds until it ends (`t`).',
    schema: string,
    example: '"minute";r=990;t=60, "day";r=99990;t=43200',
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense, at least 1.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the kept answer of an earlier request with the same key. It costs nothing.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Original-Request': {
    description: 'The id of the request that the replayed answer was made for.',
    schema: request_id,
    example: 'req_01J4ZK3V8M0000000000000000',
  },
  'Preference-Applied': {
    description: '`dry-run` when a write was asked for as a dry run: nothing was changed.',
    schema: { type: 'string', const: 'dry-run' },
    example: 'dry-run',
  },
  'WWW-Authenticate': { description: 'The scheme that is accepted.', schema: { type: 'string', const: 'Bearer' } },
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

/** Of a success. */
export const readHeaders: readonly AnswerHeader[] = [...always, 'ETag', 'X-RateLimit-Cost', ...windows]
export const writeHeaders: readonly AnswerHeader[] = [
  ...always,
  'Idempotent-Replayed',
  'Original-Request',
  'Preference-Applied',
  'X-RateLimit-Cost',
  ...windows,
]
/** Of what was not modified. */
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
 * Of requests, by the name of their component. One that changes what a request means when it is not wanted has no example:
 * references and other tools put examples into the requests that they show, and readers copy those.
 */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      `Your own name for this write, 1 to ${limits.idempotency_key_chars_max} visible ASCII characters; a quoted string is the same key as ` +
      'what it quotes. Within 24 hours the same key with the same input gets the first answer again; with other input it is refused.',
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
      '`dry-run`: make every check and answer what would be answered, with the events and the cost, and change nothing. Costs 1 credit. ' +
      'Other preferences are ignored (RFC 7240).',
    schema: string,
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Carries the write out only if the object still has this revision: an `ETag`, `"7"`, `7` or `*`. Else 409 `resource_conflict`, which names the current one.',
    schema: tag,
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags that you have, or `*`: if one is current the answer is 304 without a body and costs nothing.',
    schema: tag,
  },
  ServiceVersion: {
    name: 'Service-Version',
    in: 'header',
    description: "The version to speak, a date. Without it the credential's own version holds.",
    schema: date,
    example: newest_version,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The id of the last event seen: the stream goes on behind it, nothing missed or doubled. Without it the stream begins now.',
    schema: { type: 'string', maxLength: limits.id_chars_max },
  },
} as const satisfies Record<string, JsonObject>

export type RequestHeader = keyof typeof requestHeaders

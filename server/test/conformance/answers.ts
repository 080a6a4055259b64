/** Assertions on answers. The codes are written from the contract (contract/02#error-codes), not read from the code under test. */
import assert from 'node:assert/strict'
import type { Reply } from '../call.ts'

const request = 'invalid_request_error'
const authentication = 'authentication_error'
const permission = 'permission_error'
const idempotency = 'idempotency_error'

/** Status and type of every code. */
const codes: Readonly<Record<string, readonly [status: number, type: string]>> = {
  missing_api_key: [401, authentication],
  invalid_api_key: [401, authentication],
  invalid_access_token: [401, authentication],
  credential_validation_unavailable: [503, 'api_error'],
  plan_required: [402, permission],
  insufficient_scope: [403, permission],
  endpoint_disabled: [503, 'api_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  rate_limit_unavailable: [503, 'api_error'],
  invalid_query_parameter: [400, request],
  invalid_request_body: [400, request],
  cursor_invalid: [400, request],
  cursor_filter_mismatch: [400, request],
  resource_not_found: [404, request],
  resource_deleted: [410, request],
  resource_id_ambiguous: [409, request],
  resource_conflict: [409, request],
  idempotency_key_required: [400, idempotency],
  invalid_idempotency_key: [400, idempotency],
  idempotency_key_reused: [409, idempotency],
  idempotency_in_progress: [409, idempotency],
  invalid_webhook_url: [400, request],
  webhook_target_unavailable: [400, request],
  webhook_verification_failed: [400, request],
  internal_error: [500, 'api_error'],
}

const retried = new Set([
  'rate_limit_exceeded',
  'rate_limit_unavailable',
  'credential_validation_unavailable',
  'idempotency_in_progress',
])

/** Asserts that a message begins with a capital and ends with a full stop or a question (contract/02#messages). */
function assertSentence(message: string, where: string): void {
  assert.match(message, /^\p{Lu}[\s\S]*[.?]$/u, `The message must be a sentence: ${where}`)
}

/** Asserts the error envelope: its fields and headers, no others (contract/02#error-envelope). */
export function assertEnvelope(reply: Reply, about = ''): void {
  const where = `${about} ${reply.status} ${reply.text.slice(0, 400)}`
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8', where)
  assert.deepEqual(Object.keys(reply.body ?? {}), ['error'], where)
  const { error } = reply.body
  const [status, type] = codes[error.code] ?? []
  assert.deepEqual([reply.status, error.type], [status, type], where)
  assert.equal(error.request_id, reply.headers['x-request-id'], where)
  assert.ok(typeof error.message === 'string' && error.message.length > 0, where)
  assertSentence(error.message, where)
  const known = ['type', 'code', 'message', 'param', 'details', 'request_id']
  assert.deepEqual(
    Object.keys(error).filter((name) => !known.includes(name)),
    [],
    where,
  )
  if ('param' in error) assert.ok(typeof error.param === 'string' && error.param.length > 0, where)
  if ('details' in error) {
    assert.equal(error.details[0].param, error.param, where)
    for (const detail of error.details) {
      assert.deepEqual(Object.keys(detail), ['param', 'message'], where)
      assertSentence(detail.message, where)
    }
  }
  assert.equal(reply.headers['retry-after'] !== undefined, retried.has(error.code), `Retry-After: ${where}`)
  assert.equal(reply.headers['x-ratelimit-cost'], undefined, where)
}

/** Asserts a refusal with this code and, unless `param` is undefined, this `param`; `null` means none. */
export function assertRefused(reply: Reply, code: string, param?: string | null, about = ''): void {
  const where = `${about} ${reply.status} ${reply.text.slice(0, 400)}`
  assert.equal(reply.body?.error?.code, code, where)
  assertEnvelope(reply, about)
  if (param !== undefined) assert.equal(reply.body.error.param ?? null, param, where)
}

/** An answer as a client can distinguish it from another: without date and request id. */
export function comparable(reply: Reply): object {
  const id = reply.headers['x-request-id'] ?? ''
  const { date: _date, 'x-request-id': _id, ...headers } = reply.headers
  return { status: reply.status, headers, text: id === '' ? reply.text : reply.text.replaceAll(id, '<request>') }
}

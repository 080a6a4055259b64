/** The error envelope, whole: status, type and code belong together, nothing is missing and nothing besides (contract §7). */
import { type ErrorCode, errorKinds } from '../api/errors.ts'
import type { Operation } from '../api/operation.ts'
import { at, type Reply } from './client.ts'

const fields = ['type', 'code', 'message', 'param', 'details', 'request_id']
const retried: ReadonlySet<string> = new Set<ErrorCode>([
  'rate_limit_exceeded',
  'rate_limit_unavailable',
  'credential_validation_unavailable',
  'idempotency_in_progress',
])
/** These always name what is at fault. */
const blaming: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_query_parameter',
  'cursor_invalid',
  'cursor_filter_mismatch',
  'idempotency_key_required',
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'invalid_webhook_url',
])

/** What is wrong with an error answer; `operation` is the one that gave it, `null` where none was reached. */
export function faultsOfError(reply: Reply, operation: Operation | null): string[] {
  const { status, headers, body } = reply
  const faults: string[] = []
  const expect = (holds: boolean, message: string) => {
    if (!holds) faults.push(message)
  }
  const error = at(body, 'error')
  if (typeof error !== 'object' || error === null) return [`${status} without an error envelope`]
  const code = String(at(error, 'code'))
  const kind = (errorKinds as Record<string, (typeof errorKinds)[ErrorCode] | undefined>)[code]
  expect(status !== 500, 'a 500')
  expect(kind !== undefined, `code ${code} is not in the contract`)
  expect(kind === undefined || kind.status === status, `${code} with status ${status}`)
  expect(kind === undefined || kind.type === at(error, 'type'), `${code} with type ${at(error, 'type')}`)
  if (operation !== null) {
    expect(
      operation.codes.has(code as ErrorCode) || code === 'internal_error',
      `${code} is none of its class ${operation.errorClass}`,
    )
  }
  expect(Object.keys(body as object).length === 1, 'the envelope holds more than the error')
  for (const name of Object.keys(error)) expect(fields.includes(name), `error.${name} is not in the contract`)
  const message = at(error, 'message')
  expect(typeof message === 'string' && message !== '', 'no message')
  expect(at(error, 'request_id') === headers['x-request-id'], 'request_id is not the X-Request-Id')
  const param = at(error, 'param')
  expect(param === undefined || (typeof param === 'string' && param !== ''), 'param is no name')
  expect(param !== undefined || !blaming.has(code), `${code} without param`)
  const retry = headers['retry-after']
  expect((retry !== undefined) === retried.has(code), `${code} ${retry === undefined ? 'without' : 'with'} Retry-After`)
  expect(headers['x-ratelimit-cost'] === undefined, 'an error with X-RateLimit-Cost')
  expect(status !== 401 || headers['www-authenticate'] === 'Bearer', '401 without WWW-Authenticate: Bearer')
  return faults
}

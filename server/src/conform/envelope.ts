/** The error envelope: status, type and code agree, no field is missing and none is added (contract/02#error-envelope). */
import { type ErrorCode, errorKinds } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import { at, type Reply } from './client.ts'

const fields = ['type', 'code', 'message', 'param', 'details', 'request_id']
const withRetryAfter: ReadonlySet<string> = new Set<ErrorCode>([
  'rate_limit_exceeded',
  'rate_limit_unavailable',
  'credential_validation_unavailable',
  'idempotency_in_progress',
])
const withParam: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_query_parameter',
  'cursor_invalid',
  'cursor_filter_mismatch',
  'idempotency_key_required',
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'invalid_webhook_url',
])

/** The faults of an error answer of this operation. */
export function faultsOfError(reply: Reply, operation: Operation): string[] {
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
  if (kind === undefined) faults.push(`code ${code} is not in the contract`)
  else {
    expect(kind.status === status, `${code} with status ${status}`)
    expect(kind.type === at(error, 'type'), `${code} with type ${at(error, 'type')}`)
  }
  const isOfClass = operation.codes.has(code as ErrorCode) || code === 'internal_error'
  expect(isOfClass, `${code} is not in the class ${operation.errorClass}`)
  expect(Object.keys(body as object).length === 1, 'a field beside error')
  for (const name of Object.keys(error)) expect(fields.includes(name), `error.${name} is not in the contract`)
  const message = at(error, 'message')
  expect(typeof message === 'string' && message !== '', 'no message')
  expect(at(error, 'request_id') === headers['x-request-id'], 'request_id is not the X-Request-Id')
  const retry = headers['retry-after']
  const should = withRetryAfter.has(code)
  expect((retry !== undefined) === should, `${code} ${should ? 'without' : 'with'} Retry-After`)
  expect(status !== 401 || headers['www-authenticate'] === 'Bearer', '401 without WWW-Authenticate: Bearer')
  return [...faults, ...faultsOfParam(error, code)]
}

function faultsOfParam(error: object, code: string): string[] {
  const { param, details } = error as { param?: unknown; details?: unknown }
  if (param === undefined) return withParam.has(code) ? [`${code} without param`] : []
  if (typeof param !== 'string' || param === '') return ['param is not a name']
  if (details === undefined) return []
  const isWhole =
    Array.isArray(details) && details.every((detail) => Object.keys(detail).sort().join() === 'message,param')
  if (!isWhole) return ['details are not a list of param and message']
  return at(details, 0, 'param') === param ? [] : ['details do not begin with param']
}

/** The refusals of the contract: code → status and type. */
export const kinds = {
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  invalid_access_token: [401, 'authentication_error'],
  credential_validation_unavailable: [503, 'api_error'],
  plan_required: [402, 'permission_error'],
  insufficient_scope: [403, 'permission_error'],
  endpoint_disabled: [503, 'api_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  rate_limit_unavailable: [503, 'api_error'],
  invalid_query_parameter: [400, 'invalid_request_error'],
  invalid_request_body: [400, 'invalid_request_error'],
  cursor_invalid: [400, 'invalid_request_error'],
  cursor_filter_mismatch: [400, 'invalid_request_error'],
  resource_not_found: [404, 'invalid_request_error'],
  resource_deleted: [410, 'invalid_request_error'],
  resource_id_ambiguous: [409, 'invalid_request_error'],
  resource_conflict: [409, 'invalid_request_error'],
  idempotency_key_required: [400, 'idempotency_error'],
  invalid_idempotency_key: [400, 'idempotency_error'],
  idempotency_key_reused: [409, 'idempotency_error'],
  idempotency_in_progress: [409, 'idempotency_error'],
  invalid_webhook_url: [400, 'invalid_request_error'],
  webhook_target_unavailable: [400, 'invalid_request_error'],
  webhook_verification_failed: [400, 'invalid_request_error'],
  internal_error: [500, 'api_error'],
} as const satisfies Readonly<Record<string, readonly [status: number, type: string]>>

export type Code = keyof typeof kinds

/** The parameter at fault: one of several where the contract leaves it open; `null`: none; undefined: not compared. */
export type Param = string | readonly string[] | null | undefined

export class Refused extends Error {
  readonly code: Code
  readonly param: Param

  constructor(code: Code, param?: Param) {
    super(code)
    this.code = code
    this.param = param
  }

  get status(): number {
    return kinds[this.code][0]
  }
}

/** The contract allows two answers, so the request is not sent. */
export class AmbiguousRequest extends Error {}

export const notFound = () => new Refused('resource_not_found', null)
export const conflict = (param?: Param) => new Refused('resource_conflict', param)
export const badBody = (param?: Param) => new Refused('invalid_request_body', param)
export const badQuery = (param?: Param) => new Refused('invalid_query_parameter', param)

/** Refusals that are stored under the request's key. */
const kept: ReadonlySet<Code> = new Set([
  'resource_not_found',
  'resource_deleted',
  'resource_id_ambiguous',
  'resource_conflict',
  'invalid_webhook_url',
  'webhook_target_unavailable',
  'webhook_verification_failed',
])

export const isKept = (code: Code): boolean => kept.has(code)

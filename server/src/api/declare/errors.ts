/**
 * Every error code with its status, type and default message (contract/02#error-codes). Only this file knows them; other
 * code refuses by code.
 */
import { redactCredentials } from './credential-format.ts'

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'idempotency_error'
  | 'rate_limit_error'
  | 'api_error'

interface Kind {
  readonly status: 400 | 401 | 402 | 403 | 404 | 409 | 410 | 429 | 500 | 503
  readonly type: ErrorType
  readonly message: string
}

const kind = (status: Kind['status'], type: ErrorType, message: string): Kind => ({ status, type, message })

export const errorKinds = {
  missing_api_key: kind(
    401,
    'authentication_error',
    'No credential was sent. Send it as "Authorization: Bearer <API_KEY>".',
  ),
  invalid_api_key: kind(401, 'authentication_error', 'This API key is not valid.'),
  invalid_access_token: kind(401, 'authentication_error', 'This access token is not valid.'),
  credential_validation_unavailable: kind(
    503,
    'api_error',
    'The credential cannot be checked at the moment. Try again soon.',
  ),
  plan_required: kind(402, 'permission_error', "The organization's plan has lapsed."),
  insufficient_scope: kind(403, 'permission_error', 'The credential lacks a scope that this operation needs.'),
  endpoint_disabled: kind(503, 'api_error', 'The operator has disabled this operation.'),
  rate_limit_exceeded: kind(429, 'rate_limit_error', 'The credits of this window are used up.'),
  rate_limit_unavailable: kind(503, 'api_error', 'Credits cannot be checked at the moment. Try again soon.'),
  invalid_query_parameter: kind(400, 'invalid_request_error', 'A query parameter is not valid.'),
  invalid_request_body: kind(400, 'invalid_request_error', 'The request body is not valid.'),
  cursor_invalid: kind(
    400,
    'invalid_request_error',
    'The cursor was not issued for this list, or an earlier version issued it. Start again at the first page.',
  ),
  cursor_filter_mismatch: kind(400, 'invalid_request_error', 'The cursor belongs to a list with other filters.'),
  resource_not_found: kind(404, 'invalid_request_error', 'No such object.'),
  resource_deleted: kind(410, 'invalid_request_error', 'This object was deleted.'),
  resource_id_ambiguous: kind(409, 'invalid_request_error', 'Several objects have this id.'),
  resource_conflict: kind(409, 'invalid_request_error', 'The state of the object does not allow this.'),
  idempotency_key_required: kind(
    400,
    'idempotency_error',
    'Every POST, PATCH and DELETE needs an Idempotency-Key header.',
  ),
  invalid_idempotency_key: kind(400, 'idempotency_error', 'The Idempotency-Key is not valid.'),
  idempotency_key_reused: kind(409, 'idempotency_error', 'This Idempotency-Key was used with different input.'),
  idempotency_in_progress: kind(409, 'idempotency_error', 'A request with this Idempotency-Key is still running.'),
  invalid_webhook_url: kind(400, 'invalid_request_error', 'Webhooks cannot be sent to this URL.'),
  webhook_target_unavailable: kind(400, 'invalid_request_error', 'The URL could not be reached.'),
  webhook_verification_failed: kind(
    400,
    'invalid_request_error',
    'The URL did not answer the verification request with a 2xx status.',
  ),
  internal_error: kind(500, 'api_error', 'The server failed. Quote the request id when you ask for support.'),
} satisfies Record<string, Kind>

export type ErrorCode = keyof typeof errorKinds

/** Codes of the console's endpoints (`/app/api`); operations never use them. */
const consoleErrorKinds = {
  session_required: kind(401, 'authentication_error', 'The session has ended. Sign in again.'),
  sign_in_failed: kind(401, 'authentication_error', 'The e-mail address or the password is wrong.'),
  csrf_failed: kind(403, 'permission_error', 'The request does not belong to this session. Reload the page.'),
  step_up_required: kind(403, 'permission_error', 'Confirm with your password or a passkey first.'),
  second_factor_required: kind(
    403,
    'permission_error',
    'This organization requires a second factor. Prove yours first.',
  ),
  role_required: kind(403, 'permission_error', 'Your role does not allow this.'),
  https_required: kind(
    403,
    'permission_error',
    'Signing in needs HTTPS. Put a TLS proxy in front of the server and set ATRIUM_PUBLIC_URL to its https address.',
  ),
  link_invalid: kind(404, 'invalid_request_error', 'This link was used or has expired. Ask for a new one.'),
  too_many_attempts: kind(429, 'rate_limit_error', 'Too many attempts. Try again later.'),
  openid_canceled: kind(401, 'authentication_error', 'The sign-in was canceled at the provider. Nothing has changed.'),
  openid_expired: kind(
    401,
    'authentication_error',
    'This sign-in was already used, has expired, or was started in another browser. Start again.',
  ),
  openid_failed: kind(401, 'authentication_error', "The provider's answer could not be verified. Start again."),
  openid_email_unverified: kind(
    403,
    'permission_error',
    'The provider has not verified your e-mail address. Verify it there, then sign in again.',
  ),
  openid_domain_refused: kind(
    403,
    'permission_error',
    'The domain of your e-mail address is not allowed for this provider. Use an address of your organization.',
  ),
  openid_member_refused: kind(
    403,
    'permission_error',
    'You cannot sign in to this organization by this provider. Ask an owner of the organization.',
  ),
  openid_unreachable: kind(503, 'api_error', 'The provider cannot be reached at the moment. Try again in a minute.'),
} satisfies Record<string, Kind>

export type RefusalCode = ErrorCode | keyof typeof consoleErrorKinds

const kinds: Readonly<Record<RefusalCode, Kind>> = { ...errorKinds, ...consoleErrorKinds }

export interface Fault {
  readonly param: string
  readonly message: string
}

interface RefusalOptions {
  /** The parameter at fault: a name, or a path in a body (`data[3].title`). */
  readonly param?: string
  readonly message?: string
  /** All faults when there are several; `param` is the first. */
  readonly details?: readonly Fault[]
  /** Seconds before a retry makes sense, at least 1. */
  readonly retryAfter?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A refused request: thrown by rules and handlers, answered by the pipeline. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly options: RefusalOptions

  constructor(code: RefusalCode, options: RefusalOptions = {}) {
    super(options.message ?? kinds[code].message)
    this.code = code
    this.options = options
    // A refusal is an ordinary answer. Capturing a stack is expensive and useless here.
    Object.defineProperty(this, 'stack', { value: this.message })
  }

  get status(): number {
    return kinds[this.code].status
  }

  get type(): ErrorType {
    return kinds[this.code].type
  }
}

/** Refuses the request: `throw refuse('resource_conflict', { param: 'to' })`. */
export function refuse(code: RefusalCode, options?: RefusalOptions): Refusal {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return new Refusal(code, options)
  } finally {
    Error.stackTraceLimit = limit
  }
}

/**
 * A message that begins with a field's name as a sentence with a capital: "The field `title` is required." Where a
 * query is at fault, its parameter is named so (contract/02#messages).
 */
function sentence(message: string, noun: 'field' | 'parameter'): string {
  if (message.startsWith('"')) return `The value ${message}`
  const [start, name] = /^`?([a-z_][\w.[\]-]*)`?(?=[ :,])/.exec(message) ?? []
  return start === undefined ? message : `The ${noun} \`${name}\`${message.slice(start.length)}`
}

function shownMessage(code: RefusalCode, message: string, param: string | undefined): string {
  const isParameter = code === 'invalid_query_parameter' && param !== undefined && message.startsWith(param)
  return sentence(message, isParameter ? 'parameter' : 'field')
}

function shownFault({ param, message }: Fault): Fault {
  return { param: param.toWellFormed(), message: sentence(message.toWellFormed(), 'field') }
}

/**
 * The error envelope (contract/02#error-envelope). Redacts credentials that were sent as a name or value. Where a value was cut
 * inside of a character, it ends with U+FFFD (contract/01#strings).
 */
export function errorBody(refusal: Refusal, requestId: string): string {
  const { details } = refusal.options
  const param = refusal.options.param?.toWellFormed()
  const text = JSON.stringify({
    error: {
      type: refusal.type,
      code: refusal.code,
      message: shownMessage(refusal.code, refusal.message.toWellFormed(), param),
      ...(param === undefined ? {} : { param }),
      ...(details === undefined || details.length < 2 ? {} : { details: details.map(shownFault) }),
      request_id: requestId,
    },
  })
  return redactCredentials(text)
}

const base = [
  'missing_api_key',
  'invalid_api_key',
  'invalid_access_token',
  'credential_validation_unavailable',
  'plan_required',
  'endpoint_disabled',
  'rate_limit_exceeded',
  'rate_limit_unavailable',
  'internal_error',
] as const satisfies readonly ErrorCode[]

const resource = ['resource_not_found', 'resource_deleted', 'resource_id_ambiguous'] as const
const scopedRead = [...base, 'insufficient_scope'] as const
const singleRead = [...scopedRead, 'invalid_query_parameter', ...resource] as const
const list = [...scopedRead, 'invalid_query_parameter', 'cursor_invalid', 'cursor_filter_mismatch'] as const
const write = [
  ...singleRead,
  'invalid_request_body',
  'idempotency_key_required',
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'resource_conflict',
] as const

/** The codes that each class of operations can return (contract/02#code-classes). */
export const errorClasses = {
  base,
  scoped_read: scopedRead,
  single_read: singleRead,
  list,
  nested_list: [...list, ...resource],
  write,
  webhook_write: [...write, 'invalid_webhook_url', 'webhook_target_unavailable', 'webhook_verification_failed'],
} as const satisfies Record<string, readonly ErrorCode[]>

export type ErrorClass = keyof typeof errorClasses

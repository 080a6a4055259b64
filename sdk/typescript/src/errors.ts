/**
 * Errors. Every error of the SDK itself is an `AtriumError`:
 *
 *   ApiError                   a refusal by the API: branch on `code`, quote `request_id`
 *     InvalidRequestError, AuthenticationError, PermissionError, IdempotencyError, RateLimitError, ServerError
 *   ConnectionError            no answer, or only a part of it
 *     TimeoutError
 *   UnexpectedAnswerError      an answer that is not from the API: a proxy's page, a redirect
 *   WebhookVerificationError   a delivery that must not be trusted
 *
 * A call that the caller aborts rejects with the reason of its signal.
 */
import type { ErrorCode, ErrorType } from './generated/errors.ts'
import type { ResponseInfo } from './response-info.ts'

export class AtriumError extends Error {
  override readonly name: string = 'AtriumError'
}

/** One of several faults in `details`. */
export interface Fault {
  param: string
  message: string
}

/** The error envelope. */
export interface ErrorEnvelope {
  error: {
    type: ErrorType | (string & {})
    code: ErrorCode | (string & {})
    message: string
    param?: string
    details?: Fault[]
    request_id: string
  }
}

/** The API refused the request. */
export class ApiError extends AtriumError {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** Class of the error; new ones may be added. */
  readonly type: ErrorType | (string & {})
  /** Code of the error, to branch on; new ones may be added. */
  readonly code: ErrorCode | (string & {})
  /** Parameter at fault, if there is one; in a body a path: `data[3].title`. */
  readonly param: string | null
  /** All faults, if there are several. */
  readonly details: readonly Fault[]
  /** Id of the request, to quote when you ask for help. */
  readonly request_id: string
  readonly response: ResponseInfo

  constructor({ error }: ErrorEnvelope, response: ResponseInfo) {
    super(error.message)
    this.status = response.status
    this.type = error.type
    this.code = error.code
    this.param = error.param ?? null
    this.details = error.details ?? []
    this.request_id = error.request_id
    this.response = response
  }
}

/** The request is invalid, or the object does not allow it. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** The credential is missing or invalid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** The credential or the plan does not allow this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** The idempotency key was used for other input, or is in use. */
export class IdempotencyError extends ApiError {
  override readonly name = 'IdempotencyError'
}

/** The credits of a window are used up. `response.retryAfter` is the wait in seconds. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** The API cannot answer: it failed, is unavailable, or the operation is switched off. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

const classes: Readonly<Record<ErrorType, typeof ApiError>> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  permission_error: PermissionError,
  idempotency_error: IdempotencyError,
  rate_limit_error: RateLimitError,
  api_error: ServerError,
}

/** The error of a refusal, in the class of its type; an unknown type gives an `ApiError`. */
export function apiError(envelope: ErrorEnvelope, response: ResponseInfo): ApiError {
  return new (classes[envelope.error.type as ErrorType] ?? ApiError)(envelope, response)
}

/** No answer, or only a part of it. A write may have happened: repeat it with the same key. */
export class ConnectionError extends AtriumError {
  override readonly name: string = 'ConnectionError'
}

/** The timeout passed before the answer was complete. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

/** An answer that is not from the API: a proxy's page, a redirect, broken JSON. */
export class UnexpectedAnswerError extends AtriumError {
  override readonly name = 'UnexpectedAnswerError'
  readonly response: ResponseInfo
  /** Start of the answer, at most 200 characters. */
  readonly excerpt: string

  constructor(text: string, response: ResponseInfo) {
    super(`An answer with status ${response.status} that is not one of the API. Is the base URL right?`)
    this.response = response
    this.excerpt = text.slice(0, 200)
  }
}

export type VerificationFailure =
  | 'missing_signature'
  | 'malformed_signature'
  | 'wrong_signature'
  | 'outside_tolerance'
  | 'invalid_payload'

/** A delivery that must not be trusted. Answer it with status 400. */
export class WebhookVerificationError extends AtriumError {
  override readonly name = 'WebhookVerificationError'
  readonly reason: VerificationFailure

  constructor(reason: VerificationFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

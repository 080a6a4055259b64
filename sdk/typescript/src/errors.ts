/**
 * What can go wrong. Everything that the SDK throws by itself is an `AtriumError`:
 *
 *   ApiError                   the API refused: branch on `code`, quote `request_id`
 *     InvalidRequestError, AuthenticationError, PermissionError, IdempotencyError, RateLimitError, ServerError
 *   ConnectionError            no answer came, or not the whole of it
 *     TimeoutError
 *   UnexpectedAnswerError      an answer that the API does not give: a proxy's page, a redirect
 *   WebhookVerificationError   a delivery that is not to be trusted
 *
 * A call that the caller aborts rejects with the reason of its signal.
 */
import type { ErrorCode, ErrorType } from './generated/errors.ts'
import type { ResponseInfo } from './response-info.ts'

export class AtriumError extends Error {
  override readonly name: string = 'AtriumError'
}

/** One fault of several, as `details` lists them. */
export interface Fault {
  param: string
  message: string
}

/** The body of a refusal: the contract's error envelope. */
export interface ErrorEnvelope {
  error: {
    type: ErrorType
    code: ErrorCode
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
  readonly type: ErrorType
  /** Branch on this. */
  readonly code: ErrorCode
  /** The parameter at fault, where one is; in a body a path: `data[3].title`. */
  readonly param: string | null
  /** Every fault, where there are several. */
  readonly details: readonly Fault[]
  /** Quote it to support. */
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

/** Something in the request is wrong, or the object does not allow it. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** The credential is missing or not valid. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** The credential or the plan does not allow this. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** The idempotency key was used for something else, or is in use. */
export class IdempotencyError extends ApiError {
  override readonly name = 'IdempotencyError'
}

/** The credits of a window are used up. `response.retryAfter` says for how long. */
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

/** The error of a refusal, in the class of its type; a type that is not known yet is an `ApiError`. */
export function apiError(envelope: ErrorEnvelope, response: ResponseInfo): ApiError {
  return new (classes[envelope.error.type] ?? ApiError)(envelope, response)
}

/** No answer came, or only a part of one. A write may have been carried out: repeat it with the same key. */
export class ConnectionError extends AtriumError {
  override readonly name: string = 'ConnectionError'
}

/** The time-out passed before the answer was complete. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

/** An answer that is not the API's: a proxy's page, a redirect, broken JSON. */
export class UnexpectedAnswerError extends AtriumError {
  override readonly name = 'UnexpectedAnswerError'
  readonly response: ResponseInfo
  /** How it begins, at most 200 characters. */
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

/** A delivery that is not to be trusted. Answer it with a status of 400. */
export class WebhookVerificationError extends AtriumError {
  override readonly name = 'WebhookVerificationError'
  readonly reason: VerificationFailure

  constructor(reason: VerificationFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Errors as the console shows them: a title, what to do, the request's ID. `/v1` answers with the SDK's ApiError,
 * `/app/api` with an AppError; both use the same envelope.
 */
import { ApiError, AtriumError, ConnectionError, RateLimitError, TimeoutError } from '@atrium/sdk'
import { t } from '../language/index.ts'
import type { ConsoleError, ConsoleErrorCode } from './shapes.ts'

/** An error answer of `/app/api`. */
export class AppError extends AtriumError {
  override readonly name = 'AppError'
  readonly status: number
  readonly code: ConsoleErrorCode | (string & {})
  readonly param: string | null
  readonly details: readonly { readonly param: string; readonly message: string }[]
  readonly request_id: string
  /** Seconds. */
  readonly retryAfter: number | null

  constructor({ error }: ConsoleError, status: number, retryAfter: number | null) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.param = error.param ?? null
    this.details = error.details ?? []
    this.request_id = error.request_id
    this.retryAfter = retryAfter
  }
}

/** The user canceled a confirmation. It is not shown as an error. */
export class UserCanceled extends AtriumError {
  override readonly name = t('Declined')
}

function codeOf(error: unknown): string | null {
  return error instanceof ApiError || error instanceof AppError ? error.code : null
}

/** Whether the error has one of these codes: `hasErrorCode(error, 'resource_not_found')`. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error)
  return code !== null && codes.includes(code)
}

export interface ErrorDescription {
  readonly title: string
  readonly text: string
  readonly request_id: string | null
  /** Whether a retry may succeed. */
  readonly canRetry: boolean
}

/** The title and text that describe an error. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ApiError || error instanceof AppError) {
    const { request_id, message: text } = error
    return { title: titleOf(error), text, request_id, canRetry: error.status >= 500 || error.status === 429 }
  }
  const local = { request_id: null, canRetry: true }
  if (error instanceof TimeoutError) {
    return { ...local, title: t('The request timed out'), text: t('The server may be busy. Try again.') }
  }
  if (error instanceof ConnectionError) {
    const text = t('Check your connection and try again. Your input is kept.')
    return { ...local, title: t('Cannot connect to the server'), text }
  }
  const text = error instanceof Error && error.message !== '' ? error.message : String(error)
  return { ...local, title: t('Something went wrong'), text }
}

function titleOf(error: ApiError | AppError): string {
  if (error instanceof RateLimitError) return t('Credit limit reached')
  if (error.code === 'sign_in_failed' || error.code.startsWith('openid_')) return t('Sign-in failed')
  const titles: Readonly<Record<number, string>> = {
    400: t('Invalid input'),
    401: t('Not signed in'),
    402: t('Not included in your plan'),
    403: t('Permission denied'),
    404: t('Not found'),
    409: t('This change is not possible'),
    410: t('This was deleted'),
    429: t('Too many attempts'),
  }
  return titles[error.status] ?? t('Server error')
}

/** The error message of each field of a form, by parameter. A path such as `items[0].name` counts for `items`. */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError || error instanceof AppError)) return {}
  const { message, param } = error
  const details = error.details.length > 0 || param === null ? error.details : [{ param, message }]
  return Object.fromEntries(details.toReversed().map((detail) => [detail.param.split(/[.[]/)[0], detail.message]))
}

/** The error message of each path of a parameter: `step_input.set.title`. */
export function pathErrors(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError || error instanceof AppError)) return new Map()
  const { message, param } = error
  const details = error.details.length > 0 || param === null ? error.details : [{ param, message }]
  return new Map(details.toReversed().map((detail) => [detail.param, detail.message]))
}

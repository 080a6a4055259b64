/**
 * What can go wrong, in one form for people: what happened, what to do, and the request's id. `/v1` refuses with the SDK's
 * ApiError, `/app/api` with an AppError; both come in the same envelope.
 */
import { ApiError, AtriumError, ConnectionError, RateLimitError, TimeoutError } from '@atrium/sdk'
import type { ConsoleError, ConsoleErrorCode } from './shapes.ts'

/** `/app/api` refused. */
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

/** The person did not want to confirm. Nothing needs to be said about it. */
export class Declined extends AtriumError {
  override readonly name = 'Declined'
}

export function codeOf(error: unknown): string | null {
  return error instanceof ApiError || error instanceof AppError ? error.code : null
}

/** Whether it is this refusal: `refused(error, 'resource_not_found')`. */
export function refused(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error)
  return code !== null && codes.includes(code)
}

export interface Told {
  readonly title: string
  readonly text: string
  readonly request_id: string | null
  /** Trying the same again may help. */
  readonly again: boolean
}

/** An error as it is shown. */
export function told(error: unknown): Told {
  if (error instanceof ApiError || error instanceof AppError) {
    const { request_id, message: text } = error
    return { title: titleOf(error), text, request_id, again: error.status >= 500 || error.status === 429 }
  }
  const again = true
  if (error instanceof TimeoutError) {
    return { title: 'No answer came in time', text: 'The server may be busy. Try again.', request_id: null, again }
  }
  if (error instanceof ConnectionError) {
    const text = 'Check your connection; what you typed is kept. Try again when it is back.'
    return { title: 'The server cannot be reached', text, request_id: null, again }
  }
  const text = error instanceof Error && error.message !== '' ? error.message : String(error)
  return { title: 'Something went wrong', text, request_id: null, again }
}

function titleOf(error: ApiError | AppError): string {
  if (error instanceof RateLimitError) return 'The credits of this minute or day are used up'
  const titles: Readonly<Record<number, string>> = {
    400: 'This cannot be done as it stands',
    401: 'You are not signed in',
    402: 'This is not part of the plan',
    403: 'You may not do this',
    404: 'This does not exist',
    409: 'Something is in the way',
    410: 'This has been deleted',
    429: 'Too many attempts',
  }
  return titles[error.status] ?? 'The server could not do this'
}

/** What is wrong with each field of a form, by parameter; a path counts for its first name. */
export function faultsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError || error instanceof AppError)) return {}
  const { message, param } = error
  const faults = error.details.length > 0 || param === null ? error.details : [{ param, message }]
  return Object.fromEntries(faults.toReversed().map((fault) => [fault.param.split(/[.[]/)[0], fault.message]))
}

/** Which failures are tried again, and after how long. A write is only ever repeated with the key of its first attempt. */
import { ApiError, AtriumError, ConnectionError, UnexpectedAnswerError } from './errors.ts'
import { retryAdvice } from './generated/errors.ts'
import { defaults } from './options.ts'

/** What proxies answer while a server is away. */
const gateway: ReadonlySet<number> = new Set([502, 503, 504])

/** Whether the same request may be sent again. */
export function mayRetry(error: AtriumError): boolean {
  if (error instanceof ConnectionError) return true
  if (error instanceof UnexpectedAnswerError) return gateway.has(error.response.status)
  // A code that this SDK does not know is tried again only where the server asks for it.
  if (error instanceof ApiError) return (retryAdvice[error.code] ?? adviceOf(error)) !== 'never'
  return false
}

function adviceOf({ status, response }: ApiError): 'never' | 'after Retry-After' {
  return response.retryAfter !== null && (status === 429 || status === 503) ? 'after Retry-After' : 'never'
}

/** Seconds that the server asks to wait. */
export function retryAfterOf(error: AtriumError): number | null {
  return error instanceof ApiError || error instanceof UnexpectedAnswerError ? error.response.retryAfter : null
}

/**
 * Milliseconds to wait after a failure: what the server asks for, and above it a random while that doubles with each
 * attempt, so that clients that were turned away together do not come back together.
 */
export function waitAfter(error: AtriumError, attempt: number, base_ms: number = defaults.back_off_ms): number {
  const whole = Math.min(defaults.back_off_ms_max, base_ms * 2 ** (attempt - 1))
  const asked = retryAfterOf(error)
  return asked === null ? Math.ceil(whole * (0.5 + Math.random() / 2)) : asked * 1000 + Math.ceil(Math.random() * whole)
}

export interface RetryPolicy {
  /** How many attempts may follow the first. */
  readonly retries: number
  /** The longest `Retry-After` in seconds that is waited for. */
  readonly retry_after_max: number
  readonly base_ms?: number
  readonly signal: AbortSignal | undefined
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly onRetry: (error: AtriumError, attempt: number, wait: number) => void
}

/** Runs attempts until one succeeds, or fails for good. */
export async function retrying<T>(attemptOnce: (attempt: number) => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(attempt)
    } catch (error) {
      if (!(error instanceof AtriumError) || !mayRetry(error) || attempt > policy.retries) throw error
      if ((retryAfterOf(error) ?? 0) > policy.retry_after_max) throw error
      const wait = waitAfter(error, attempt, policy.base_ms)
      policy.onRetry(error, attempt, wait)
      await policy.sleep(wait, policy.signal)
    }
  }
}

/** Waits; rejects with the signal's reason when it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

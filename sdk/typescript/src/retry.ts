/** Which failures are retried, and after which wait. A write is only repeated with the key of its first attempt. */
import { ApiError, AtriumError, ConnectionError, UnexpectedAnswerError } from './errors.ts'
import { type ErrorCode, retryAdvice } from './generated/errors.ts'
import { defaults } from './options.ts'

/** Statuses of proxies whose server is unavailable. */
const gateway: ReadonlySet<number> = new Set([502, 503, 504])

/** Whether the same request may be retried. */
function mayRetry(error: AtriumError): boolean {
  if (error instanceof ConnectionError) return true
  if (error instanceof UnexpectedAnswerError) return gateway.has(error.response.status)
  // A code that this SDK does not know is retried only if the server asks for it.
  if (error instanceof ApiError) return (retryAdvice[error.code as ErrorCode] ?? adviceOf(error)) !== 'never'
  return false
}

function adviceOf({ status, response }: ApiError): 'never' | 'after Retry-After' {
  return response.retryAfter !== null && (status === 429 || status === 503) ? 'after Retry-After' : 'never'
}

/** The server's `Retry-After` in seconds. */
function retryAfterOf(error: AtriumError): number | null {
  return error instanceof ApiError || error instanceof UnexpectedAnswerError ? error.response.retryAfter : null
}

/**
 * Milliseconds to wait after a failure: the server's `Retry-After` plus a random time that doubles with each attempt, so
 * that clients which were refused together do not return together.
 */
function waitAfter(error: AtriumError, attempt: number, base_ms: number = defaults.back_off_ms): number {
  const whole = Math.min(defaults.back_off_ms_max, base_ms * 2 ** (attempt - 1))
  const asked = retryAfterOf(error)
  return asked === null ? Math.ceil(whole * (0.5 + Math.random() / 2)) : asked * 1000 + Math.ceil(Math.random() * whole)
}

export interface RetryPolicy {
  /** Most attempts after the first. */
  readonly retries: number
  /** Longest `Retry-After` to wait for, in seconds. */
  readonly retry_after_max: number
  readonly base_ms?: number
  readonly signal: AbortSignal | undefined
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly onRetry: (error: AtriumError, attempt: number, wait: number) => void
}

/** Runs attempts until one succeeds or fails permanently. */
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

/** The end of one attempt: the timeout or the caller's abort, whichever comes first, aborts the request. */
import { AtriumError, ConnectionError, TimeoutError } from './errors.ts'

export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #ms: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isUp = false

  /** Starts counting at once. */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms
    this.#outer = outer
    outer?.addEventListener('abort', this.#abort, { once: true })
    if (outer?.aborted) this.#abort()
    this.renew()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Restarts the timeout. */
  renew(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isUp = true
      this.#controller.abort()
    }, this.#ms)
  }

  /** Pauses the timeout until it is renewed. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Must be called at the end of the attempt. `abort` also ends a running request. */
  done(abort = false): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#abort)
    if (abort) this.#controller.abort()
  }

  /** The cause of a failure: the caller's own reason, a timeout, or a lost connection. */
  explain(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason
    if (error instanceof AtriumError) return error
    if (this.#isUp) return new TimeoutError(`No answer within ${this.#ms} ms.`, { cause: error })
    return new ConnectionError(`The connection failed: ${reasonOf(error)}`, { cause: error })
  }

  readonly #abort = () => this.#controller.abort(this.#outer?.reason)
}

/** `fetch` has the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

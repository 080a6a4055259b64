/** The end of one attempt: its time is up, or the caller aborts. Whichever comes first aborts the request. */
import { AtriumError, ConnectionError, TimeoutError } from './errors.ts'

export class Deadline {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #ms: number
  #timer: ReturnType<typeof setTimeout> | undefined
  #isUp = false

  /** Begins to count at once. */
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

  /** Counts from the beginning. */
  renew(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isUp = true
      this.#controller.abort()
    }, this.#ms)
  }

  /** Stops counting until it is renewed. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** To be called when the attempt is over. `abort` ends what is still under way. */
  done(abort = false): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener('abort', this.#abort)
    if (abort) this.#controller.abort()
  }

  /** What a failure means: the caller's own reason, a time-out, or a lost connection. */
  explain(error: unknown): unknown {
    if (this.#outer?.aborted) return this.#outer.reason
    if (error instanceof AtriumError) return error
    if (this.#isUp) return new TimeoutError(`Nothing came within ${this.#ms} ms.`, { cause: error })
    return new ConnectionError(`The connection failed: ${told(error)}`, { cause: error })
  }

  readonly #abort = () => this.#controller.abort(this.#outer?.reason)
}

/** fetch tells the reason in the cause. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

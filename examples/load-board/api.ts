/**
 * A polite client of the API in plain `fetch`: every write carries an Idempotency-Key made from what it says, so that it
 * may be sent again at any time; 429 and 503 are waited for as long as the server asks, and a little longer at random.
 */
import { createHash } from 'node:crypto'

export interface ApiOptions {
  readonly url: string
  readonly key: string
  /** Begins every idempotency key: the same again, the same requests do nothing again. */
  readonly purpose?: string
  /** Waits; a test turns its clock instead. */
  readonly pause?: (ms: number) => Promise<void>
  /** Tells why nothing happens for a while. */
  readonly onWait?: (ms: number, reason: string) => void
  /** The longest wait; a server that asks for more stops the load. */
  readonly wait_seconds_max?: number
}

/** What the server decided about one request: repeating it changes nothing. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly param: string | null

  constructor(status: number, code: string, param: string | null, message: string) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }
}

/** Nothing more can be done now; a later run goes on from here. */
export class Stopped extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Json = any

const attempts_max = 8
const back_off_ms = 500
const back_off_max_ms = 30_000
const answer_max_ms = 60_000
/** The dearest request of a load; with less left in the window it would only be turned away. */
const credits_min = 25

export class Api {
  private readonly options: ApiOptions
  /** Milliseconds until there are credits again, if the last answer left all but none. */
  private emptyFor: number | null = null
  requests = 0

  constructor(options: ApiOptions) {
    this.options = { ...options, url: options.url.replace(/\/+$/, '') }
  }

  get(path: string): Promise<Json> {
    return this.call('GET', path)
  }

  post(path: string, body: object): Promise<Json> {
    return this.call('POST', path, JSON.stringify(body))
  }

  /** Everything a list holds, page by page. */
  async *list(path: string): AsyncGenerator<Json> {
    const first = `${path}${path.includes('?') ? '&' : '?'}limit=100`
    for (let next: string | null = first; next !== null; ) {
      const page: Json = await this.get(next)
      yield* page.data
      next = page.has_more ? `${first}&starting_after=${page.next_cursor}` : null
    }
  }

  private async call(method: 'GET' | 'POST', path: string, body?: string): Promise<Json> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.options.key}` }
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json'
      headers['Idempotency-Key'] =
        `${this.options.purpose ?? 'load-board'}-${createHash('sha256').update(`${path}\n${body}`).digest('hex')}`
    }
    await this.waitForCredits()
    for (let attempt = 1; ; attempt++) {
      this.requests++
      const answer = await this.send(path, { method, headers, ...(body === undefined ? {} : { body }) })
      if (typeof answer !== 'string') {
        this.noteCredits(answer.headers)
        const said = (await answer.json().catch(() => null)) as Json
        if (answer.ok && said !== null) return said
        const wait = this.waitOf(answer, said)
        if (attempt < attempts_max && wait !== null) {
          await this.wait(wait + backOff(attempt), `${answer.status} ${said?.error?.code ?? ''}`)
          continue
        }
        throw refusal(answer.status, said?.error)
      }
      if (attempt >= attempts_max) throw new Stopped(`${this.options.url} does not answer: ${answer}`)
      await this.wait(backOff(attempt), answer)
    }
  }

  /** The answer, or why there is none. */
  private async send(path: string, request: RequestInit): Promise<Response | string> {
    try {
      const signal = AbortSignal.timeout(answer_max_ms)
      return await fetch(`${this.options.url}${path}`, { ...request, signal, redirect: 'error' })
    } catch (error) {
      const { message, cause } = error as Error
      return cause instanceof Error ? `${message} (${cause.message})` : message
    }
  }

  /** How long the server wants to be left alone, in milliseconds; null where asking again is useless. */
  private waitOf(answer: Response, said: Json): number | null {
    const asked = answer.headers.get('retry-after')
    if (asked !== null) return Number(asked) * 1000
    if (answer.status === 503) return said?.error?.code === 'endpoint_disabled' ? null : 0
    return answer.status === 502 || answer.status === 504 || answer.ok ? 0 : null
  }

  /** `"minute";r=12;t=40`: 12 credits are left, and all of them again in 40 seconds. */
  private noteCredits(headers: Headers): void {
    const windows = [...(headers.get('ratelimit') ?? '').matchAll(/r=(\d+);t=(\d+)/g)]
    const empty = windows.filter(([, remaining]) => Number(remaining) < credits_min)
    this.emptyFor = empty.length === 0 ? null : Math.max(...empty.map(([, , seconds]) => Number(seconds) * 1000))
  }

  private async waitForCredits(): Promise<void> {
    const { emptyFor } = this
    this.emptyFor = null
    if (emptyFor !== null) await this.wait(emptyFor + backOff(1), 'the credits are used up')
  }

  private async wait(ms: number, reason: string): Promise<void> {
    const { wait_seconds_max = 300, pause = sleep, onWait } = this.options
    if (ms > wait_seconds_max * 1000 + back_off_max_ms) {
      throw new Stopped(`the server asks for ${Math.ceil(ms / 1000)} s of patience (${reason.trim()})`)
    }
    onWait?.(ms, reason.trim())
    await pause(ms)
  }
}

/** Exponential with full jitter, so that clients that were turned away together do not come back together. */
function backOff(attempt: number): number {
  return Math.ceil(Math.random() * Math.min(back_off_max_ms, back_off_ms * 2 ** (attempt - 1)))
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const stopping: ReadonlySet<number> = new Set([401, 402, 403, 429])

function refusal(status: number, error: Json): Error {
  const text = `${status} ${error?.code ?? ''}: ${error?.message ?? 'no answer in the API’s form'}`
  if (stopping.has(status) || status >= 500 || error === undefined) {
    return new Stopped(error?.request_id === undefined ? text : `${text} (${error.request_id})`)
  }
  return new Refused(status, error.code, error.param ?? null, error.message)
}

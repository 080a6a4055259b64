/**
 * A client of the API in plain `fetch`. Every write has an Idempotency-Key derived from its content, so it can be retried at
 * any time. After 429 and 503 it waits for `Retry-After` plus a random time.
 */
import { createHash } from 'node:crypto'

export interface ApiOptions {
  readonly url: string
  readonly key: string
  /** Prefix of every idempotency key: with the same prefix, the same requests are replayed. */
  readonly purpose?: string
  /** Replaces waiting, for tests with their own clock. */
  readonly pause?: (ms: number) => Promise<void>
  /** Called before each wait with its reason. */
  readonly onWait?: (ms: number, reason: string) => void
  /** The longest wait; if the server asks for more, the load stops. */
  readonly wait_seconds_max?: number
}

/** A permanent refusal of one request. */
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

/** The load cannot continue now; a later run resumes it. */
export class Stopped extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Json = any

const attempts_max = 8
const backoff_ms = 500
const backoff_max_ms = 30_000
const answer_max_ms = 60_000
/** Price of the most expensive request of a load; with fewer credits it would be refused. */
const credits_min = 25

export class Api {
  private readonly options: ApiOptions
  /** Milliseconds until the window ends, if the last answer left too few credits. */
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

  /** All objects of a list, page by page. */
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
        const content = (await answer.json().catch(() => null)) as Json
        if (answer.ok && content !== null) return content
        const wait = this.waitOf(answer, content)
        if (attempt < attempts_max && wait !== null) {
          await this.wait(wait + backoff(attempt), `${answer.status} ${content?.error?.code ?? ''}`)
          continue
        }
        throw refusal(answer.status, content?.error)
      }
      if (attempt >= attempts_max) throw new Stopped(`${this.options.url} does not answer: ${answer}`)
      await this.wait(backoff(attempt), answer)
    }
  }

  /** The answer, or the reason for its absence. */
  private async send(path: string, request: RequestInit): Promise<Response | string> {
    try {
      const signal = AbortSignal.timeout(answer_max_ms)
      return await fetch(`${this.options.url}${path}`, { ...request, signal, redirect: 'error' })
    } catch (error) {
      const { message, cause } = error as Error
      return cause instanceof Error ? `${message} (${cause.message})` : message
    }
  }

  /** Milliseconds to wait before a retry; null if a retry is useless. */
  private waitOf(answer: Response, content: Json): number | null {
    const retryAfter = answer.headers.get('retry-after')
    if (retryAfter !== null) return Number(retryAfter) * 1000
    if (answer.status === 503) return content?.error?.code === 'endpoint_disabled' ? null : 0
    return answer.status === 502 || answer.status === 504 || answer.ok ? 0 : null
  }

  /** `"minute";r=12;t=40`: 12 credits remain, and the window ends in 40 seconds. */
  private noteCredits(headers: Headers): void {
    const windows = [...(headers.get('ratelimit') ?? '').matchAll(/r=(\d+);t=(\d+)/g)]
    const empty = windows.filter(([, remaining]) => Number(remaining) < credits_min)
    this.emptyFor = empty.length === 0 ? null : Math.max(...empty.map(([, , seconds]) => Number(seconds) * 1000))
  }

  private async waitForCredits(): Promise<void> {
    const { emptyFor } = this
    this.emptyFor = null
    if (emptyFor !== null) await this.wait(emptyFor + backoff(1), 'the credits are used up')
  }

  private async wait(ms: number, reason: string): Promise<void> {
    const { wait_seconds_max = 300, pause = sleep, onWait } = this.options
    if (ms > wait_seconds_max * 1000 + backoff_max_ms) {
      throw new Stopped(`the server asks to wait ${Math.ceil(ms / 1000)} s (${reason.trim()})`)
    }
    onWait?.(ms, reason.trim())
    await pause(ms)
  }
}

/** Exponential backoff with full jitter, so that clients which were refused together do not return together. */
function backoff(attempt: number): number {
  return Math.ceil(Math.random() * Math.min(backoff_max_ms, backoff_ms * 2 ** (attempt - 1)))
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

const stopping: ReadonlySet<number> = new Set([401, 402, 403, 429])

function refusal(status: number, error: Json): Error {
  const text = `${status} ${error?.code ?? ''}: ${error?.message ?? 'not an error envelope'}`
  if (stopping.has(status) || status >= 500 || error === undefined) {
    return new Stopped(error?.request_id === undefined ? text : `${text} (${error.request_id})`)
  }
  return new Refused(status, error.code, error.param ?? null, error.message)
}

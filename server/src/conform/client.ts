/**
 * The suite's HTTP client. Invariants: every request is counted and has a time limit; a 429, and a 503 with Retry-After, is
 * repeated after that wait; answers are returned unchanged and judged by the rules.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { conformLimits } from './conform-limits.ts'

/** The run cannot continue: no answer, or requests or credits are used up. */
export class Stopped extends Error {}

/** A rule cannot be tried on an operation, through no fault of the server. */
export class Skip extends Error {}

export function skip(reason: string): never {
  throw new Skip(reason)
}

export interface SendOptions {
  /** `null` sends none. Default: the client's. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly raw?: string
  /** `null` sends none. Default: `application/json` for a request with a body. */
  readonly contentType?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** `null` sends none; by default every write gets a new one. */
  readonly idempotencyKey?: string | null
  /** The answer does not end: only its first chunk is read. */
  readonly streams?: boolean
}

export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The value of a JSON answer, else `undefined`. */
  readonly body: unknown
}

export class Client {
  readonly url: string
  readonly key: string
  requests = 0
  private readonly say: (line: string) => void

  /** `say` reports waits. */
  constructor(url: string, key: string, say: (line: string) => void) {
    this.url = url.replace(/\/+$/, '')
    this.key = key
    this.say = say
  }

  /** Sends a request; repeats it after a 429 or a temporary 503 with the same Idempotency-Key. Rejects with `Stopped`. */
  async send(method: string, path: string, options: SendOptions = {}): Promise<Reply> {
    const idempotencyKey = options.idempotencyKey === undefined ? newKey() : options.idempotencyKey
    for (let repeats = 0; ; repeats++) {
      const reply = await this.sendOnce(method, path, { ...options, idempotencyKey })
      const seconds = Number(reply.headers['retry-after'])
      const isTemporary = reply.status === 429 || (reply.status === 503 && Number.isFinite(seconds))
      if (!isTemporary || repeats >= conformLimits.repeats_max) return reply
      if (!(seconds >= 1 && seconds <= conformLimits.wait_seconds_max)) {
        throw new Stopped(`${method} ${path} answered ${reply.status} with Retry-After ${reply.headers['retry-after']}`)
      }
      this.say(`Waiting ${seconds} s after a ${reply.status}.`)
      await sleep(seconds * 1000)
    }
  }

  private async sendOnce(method: string, path: string, options: SendOptions): Promise<Reply> {
    if (++this.requests > conformLimits.requests_max) {
      throw new Stopped(`the run reached its limit of ${conformLimits.requests_max} requests`)
    }
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(conformLimits.request_ms)])
    try {
      const answer = await fetch(this.url + path, {
        method,
        headers: this.headersOf(method, options),
        ...payloadOf(options),
        redirect: 'manual',
        signal,
      })
      const isEndless = options.streams === true && answer.ok
      const text = await readText(answer, isEndless)
      if (isEndless) ending.abort()
      const headers = Object.fromEntries(answer.headers)
      return { method, path, status: answer.status, headers, text, body: parse(text) }
    } catch (error) {
      if (error instanceof Stopped) throw error
      const cause = error instanceof Error ? (error.cause ?? error) : error
      throw new Stopped(`${method} ${path} was not answered: ${cause instanceof Error ? cause.message : cause}`)
    }
  }

  private headersOf(method: string, options: SendOptions): Record<string, string> {
    const { key = this.key, idempotencyKey, contentType = 'application/json', headers } = options
    const hasBody = options.raw !== undefined || options.body !== undefined
    return {
      'User-Agent': user_agent,
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(method === 'GET' || idempotencyKey == null ? {} : { 'Idempotency-Key': idempotencyKey }),
      ...(hasBody && contentType !== null ? { 'Content-Type': contentType } : {}),
      ...headers,
    }
  }
}

export const user_agent = 'atrium-conform'

/** A new Idempotency-Key. */
export function newKey(): string {
  return newId('conform', systemClock.now())
}

/** Bytes, because `fetch` would give a text without a Content-Type one of its own. */
function payloadOf({ raw, body }: SendOptions): { body?: Buffer } {
  if (raw === undefined && body === undefined) return {}
  return { body: Buffer.from(raw ?? JSON.stringify(body)) }
}

async function readText(answer: Response, isEndless: boolean): Promise<string> {
  if (answer.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body) {
    chunks.push(chunk)
    size += chunk.length
    if (isEndless || size > conformLimits.answer_bytes_max) break
  }
  return Buffer.concat(chunks).toString()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value at a path of a JSON value; `undefined` if the path does not exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null) return undefined
    inner = (inner as Record<string | number, unknown>)[step]
  }
  return inner
}

/** The objects of a list. */
export function items(reply: Reply): readonly unknown[] {
  const data = at(reply.body, 'data')
  return Array.isArray(data) ? data : []
}

export function codeOf(reply: Reply): string {
  return String(at(reply.body, 'error', 'code') ?? '')
}

/** The answer without the id of its request. */
export function withoutRequestId({ headers, text }: Reply): string {
  const id = headers['x-request-id']
  return id === undefined ? text : text.replaceAll(id, '<request>')
}

/**
 * Requests of the kit, as any client sends them. Invariants: every request is counted and ends in time; a 429, and a 503
 * that says when, is obeyed by waiting; an answer is never interpreted here.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { conformLimits } from './conform-limits.ts'

/** The run cannot go on: nothing answers, or the budget or the credits are used up. */
export class Stopped extends Error {}

/** A rule cannot be tried on an operation, for a reason that is no fault of the server's. */
export class Skip extends Error {}

export interface Sent {
  /** `null`: none. By default the client's. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent as it is instead of `body`. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** `null`: none. By default every write gets one of its own. */
  readonly idempotencyKey?: string | null
  /** The answer has no end: only its beginning is read. */
  readonly streams?: boolean
}

export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The JSON of the answer; `undefined` where it is none. */
  readonly body: unknown
}

export class Client {
  readonly url: string
  readonly key: string
  requests = 0
  private readonly say: (line: string) => void

  /** `say` is told of waits. */
  constructor(url: string, key: string, say: (line: string) => void) {
    this.url = url.replace(/\/+$/, '')
    this.key = key
    this.say = say
  }

  /** One request; after a 429 or a temporary 503 again, with the same Idempotency-Key. Rejects with `Stopped`. */
  async send(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const idempotencyKey = sent.idempotencyKey === undefined ? newKey() : sent.idempotencyKey
    for (let repeats = 0; ; repeats++) {
      const reply = await this.once(method, path, { ...sent, idempotencyKey })
      const seconds = Number(reply.headers['retry-after'])
      const waits = reply.status === 429 || (reply.status === 503 && Number.isFinite(seconds))
      if (!waits || repeats >= conformLimits.repeats_max) return reply
      if (!(seconds >= 1 && seconds <= conformLimits.wait_seconds_max)) {
        throw new Stopped(`${method} ${path} answered ${reply.status} with Retry-After ${reply.headers['retry-after']}`)
      }
      this.say(`waiting ${seconds} s, as ${reply.status} asks`)
      await sleep(seconds * 1000)
    }
  }

  private async once(method: string, path: string, sent: Sent): Promise<Reply> {
    if (++this.requests > conformLimits.requests_max) throw new Stopped('the run has sent as many requests as it may')
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(conformLimits.request_ms)])
    try {
      const answer = await fetch(this.url + path, {
        method,
        headers: this.headersOf(method, sent),
        ...payloadOf(sent),
        redirect: 'manual',
        signal,
      })
      const isEndless = sent.streams === true && answer.ok
      const text = await readText(answer, isEndless)
      if (isEndless) ending.abort()
      return {
        method,
        path,
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        text,
        body: parse(text),
      }
    } catch (error) {
      if (error instanceof Stopped) throw error
      const cause = error instanceof Error ? (error.cause ?? error) : error
      throw new Stopped(`${method} ${path} was not answered: ${cause instanceof Error ? cause.message : cause}`)
    }
  }

  private headersOf(method: string, sent: Sent): Record<string, string> {
    const key = sent.key === undefined ? this.key : sent.key
    const writes = method !== 'GET' && sent.idempotencyKey != null
    return {
      'User-Agent': 'atrium-conform',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(writes ? { 'Idempotency-Key': sent.idempotencyKey as string } : {}),
      ...(sent.raw === undefined && sent.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...sent.headers,
    }
  }
}

/** An Idempotency-Key that nobody has used. */
export function newKey(): string {
  return newId('conform', systemClock.now())
}

function payloadOf({ raw, body }: Sent): { body?: string } {
  if (raw !== undefined) return { body: raw }
  return body === undefined ? {} : { body: JSON.stringify(body) }
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

/** What stands in a JSON value at a path; `undefined` where there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null) return undefined
    inner = (inner as Record<string | number, unknown>)[step]
  }
  return inner
}

/** The objects of a list's answer. */
export function items(reply: Reply): readonly unknown[] {
  const data = at(reply.body, 'data')
  return Array.isArray(data) ? data : []
}

export function codeOf(reply: Reply): string {
  return String(at(reply.body, 'error', 'code') ?? '')
}

/**
 * Clients that retry until answered: each sends one request after another to any process, and repeats a write with the same key
 * until its final answer. The answers are kept for comparison with the database.
 */
import type { Answer } from '../../server/src/api/declare/request.ts'
import type { Dice } from '../dice.ts'
import type { Sent } from './core.ts'
import type { World } from './world.ts'

/** What a client sends; a write gets its key on the first attempt. */
export type Wanted = Omit<Sent, 'key' | 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** A write with its final answer. */
export interface AnsweredWrite {
  readonly sent: Sent
  readonly idempotencyKey: string
  readonly status: number
  readonly text: string
  readonly at_ms: number
}

/** Refusals decided by the operation: allowed, and as final as a success. */
const final_refusals = new Set([
  'resource_conflict',
  'resource_deleted',
  'resource_not_found',
  'webhook_target_unavailable',
])
const temporary_refusals = new Set([
  'idempotency_in_progress',
  'rate_limit_unavailable',
  'rate_limit_exceeded',
  'credential_validation_unavailable',
])

function codeOf({ body }: Answer): string {
  return JSON.parse(body ?? '{}').error?.code
}

/** A temporary refusal, which names a time to retry. */
export function isTemporary(answer: Answer): boolean {
  return answer.status !== 200 && temporary_refusals.has(codeOf(answer))
}

export class Client {
  readonly answered: AnsweredWrite[] = []
  /** Answers to second copies of requests, by key. */
  readonly strays: (readonly [key: string, status: number, text: string])[] = []
  refused = 0
  isIdle = true
  private readonly world: World
  private readonly name: string
  private readonly key: string
  private readonly dice: Dice
  private count = 0

  constructor(world: World, name: string, key: string) {
    this.world = world
    this.name = name
    this.key = key
    this.dice = world.dice.fork()
  }

  /** Sends what `next` returns until `until_ms`, at intervals of up to `pause_ms`. */
  async live(until_ms: number, pause_ms: number, next: (dice: Dice) => Wanted): Promise<void> {
    const { timeline } = this.world
    this.isIdle = false
    await timeline.sleep(this.dice.int(0, pause_ms))
    while (timeline.now < until_ms) {
      await this.perform(next(this.dice))
      await timeline.sleep(this.dice.int(0, pause_ms))
    }
    this.isIdle = true
  }

  /** Repeats a request until its final answer. Returns the body of a success. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  async perform(wanted: Wanted): Promise<any> {
    const { timeline, violated } = this.world
    const isWrite = wanted.method !== 'GET'
    const idempotencyKey = `${this.name}-${++this.count}`
    const headers = { ...wanted.headers, ...(isWrite ? { 'idempotency-key': idempotencyKey } : {}) }
    const sent = { ...wanted, key: this.key, headers }
    for (;;) {
      const answer = await this.ask(sent, idempotencyKey)
      const wait_ms = answer === null ? this.dice.int(100, 1500) : this.pauseAfter(answer)
      if (answer !== null && wait_ms === null) {
        if (isWrite) {
          const { status, body } = answer
          this.answered.push({ sent, idempotencyKey, status, text: body ?? '', at_ms: timeline.now })
        } else if (answer.status !== 200) violated(`${sent.method} ${sent.url} got ${answer.status}: ${answer.body}`)
        return answer.status === 200 ? JSON.parse(answer.body ?? 'null') : null
      }
      await timeline.sleep(wait_ms ?? 0, 'back off')
    }
  }

  private ask(sent: Sent, idempotencyKey: string): Promise<Answer | null> {
    const { machines, network } = this.world
    const { core } = this.dice.pick(machines)
    return network.ask(core, sent, ({ status, body }) => this.strays.push([idempotencyKey, status, body ?? '']))
  }

  /** The wait before the request is repeated; null if its answer is final. */
  private pauseAfter(answer: Answer): number | null {
    if (answer.status === 200) return null
    const code = codeOf(answer)
    const retryAfter = Number(answer.headers['Retry-After'] ?? Number.NaN)
    if (code === 'rate_limit_exceeded') this.refused++
    if (temporary_refusals.has(code)) {
      if (!(retryAfter >= 1)) this.world.violated(`${code} has no Retry-After`)
      return retryAfter * 1000
    }
    if (!final_refusals.has(code)) this.world.violated(`an unexpected answer: ${answer.status} ${answer.body}`)
    return null
  }
}

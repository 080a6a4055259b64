/**
 * Clients that never give up: each sends one request after the other, to any process, and repeats a write with the same key
 * until it has a final answer. What they were told is kept, to be held against the database.
 */
import type { Answer } from '../../server/src/api/request.ts'
import type { Dice } from '../dice.ts'
import type { Sent } from './core.ts'
import type { World } from './world.ts'

/** What a client wants: a write gets its key when it is begun. */
export type Wanted = Omit<Sent, 'key' | 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** A write with its final answer. */
export interface Told {
  readonly sent: Sent
  readonly idempotencyKey: string
  readonly status: number
  readonly text: string
  readonly at_ms: number
}

/** A refusal that its operation decided: it may come, and is as final as a success. */
const decided = new Set(['resource_conflict', 'resource_deleted', 'resource_not_found', 'webhook_target_unavailable'])
const passing = new Set([
  'idempotency_in_progress',
  'rate_limit_unavailable',
  'rate_limit_exceeded',
  'credential_validation_unavailable',
])

function codeOf({ body }: Answer): string {
  return JSON.parse(body ?? '{}').error?.code
}

/** The process cannot answer at the moment, and says when it can. */
export function isPassing(answer: Answer): boolean {
  return answer.status !== 200 && passing.has(codeOf(answer))
}

export class Client {
  readonly told: Told[] = []
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

  /** Sends what `next` says until `until_ms`, at intervals of up to `pause_ms`. */
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

  /** One request until it has its final answer; the body of a success. */
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
          this.told.push({ sent, idempotencyKey, status, text: body ?? '', at_ms: timeline.now })
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

  /** How long to wait before the request is repeated; null where its answer is final. */
  private pauseAfter(answer: Answer): number | null {
    if (answer.status === 200) return null
    const code = codeOf(answer)
    const retryAfter = Number(answer.headers['Retry-After'] ?? Number.NaN)
    if (code === 'rate_limit_exceeded') this.refused++
    if (passing.has(code)) {
      if (!(retryAfter >= 1)) this.world.violated(`${code} does not say when to come back`)
      return retryAfter * 1000
    }
    if (!decided.has(code)) this.world.violated(`an answer that nobody should get: ${answer.status} ${answer.body}`)
    return null
  }
}

/**
 * Clients that never give up: each sends its writes one after the other, and repeats a write without a final answer
 * under the same key, whatever happens to the server meanwhile. Their answers are kept, to be compared with the
 * database.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../call.ts'

/** A write that must happen once. */
export interface Wanted {
  readonly idempotencyKey: string
  /** By default POST. */
  readonly method?: 'PATCH' | 'DELETE'
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Answered extends Wanted {
  readonly text: string
}

export class Writers {
  readonly answered: Answered[] = []
  /** Answers that no client should ever get. */
  readonly wrong: string[] = []
  /** The number of answers by status; 0 stands for no answer. */
  readonly seen = new Map<number, number>()
  private readonly pending: (Wanted | null)[]
  private readonly next: (writer: number) => Omit<Wanted, 'idempotencyKey'>
  private readonly pause_ms: number
  private running: Promise<unknown> | null = null
  private going = false
  private waiting: { count: number; resolve: () => void; reject: (reason: Error) => void }[] = []

  /** With a pause after each answered write, what follows the writes gets its share of the machine. */
  constructor(count: number, next: (writer: number) => Omit<Wanted, 'idempotencyKey'>, { pause_ms = 0 } = {}) {
    this.pause_ms = pause_ms
    this.pending = Array.from({ length: count }, () => null)
    this.next = next
  }

  /** Writes until `stop`. `target` returns the URL of a server that should be up; it may change at any time. */
  start(target: () => string, key: string): void {
    this.going = true
    this.running = Promise.all(this.pending.map((_, writer) => this.write(writer, target, key)))
  }

  /** Resolves after `count` more answered writes; rejects at a wrong answer. */
  more(count: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.waiting.push({ count: this.answered.length + count, resolve, reject })
    return promise
  }

  /** Starts nothing new and waits until every started write has its answer. */
  async stop(): Promise<void> {
    this.going = false
    await this.running
  }

  /** Ends at once and abandons pending requests. */
  giveUp(): void {
    this.going = false
    this.pending.fill(null)
  }

  private async write(writer: number, target: () => string, key: string): Promise<void> {
    for (;;) {
      if (this.pending[writer] === null && !this.going) return
      this.pending[writer] ??= { idempotencyKey: randomUUID(), ...this.next(writer) }
      const wanted = this.pending[writer]
      const { method = 'POST', path, body, idempotencyKey } = wanted
      const reply = await call(target(), method, path, { key, body, idempotencyKey }).catch(() => null)
      this.seen.set(reply?.status ?? 0, (this.seen.get(reply?.status ?? 0) ?? 0) + 1)
      if (reply?.status === 200) {
        this.pending[writer] = null
        this.answered.push({ ...wanted, text: reply.text })
        this.waiting = this.waiting.filter(({ count, resolve }) => this.answered.length < count || resolve())
        if (this.pause_ms > 0 && this.going) await sleep(this.pause_ms)
      } else {
        if (reply !== null && !mayBeRepeated(reply)) {
          this.wrong.push(`${reply.status} ${reply.text}`)
          for (const { reject } of this.waiting) reject(new Error(`a wrong answer: ${reply.status} ${reply.text}`))
          this.pending[writer] = null
        }
        await sleep(5)
      }
    }
  }
}

/** A temporary 503 and an idempotency conflict with a running request say when to retry (contract/02#retries). */
function mayBeRepeated(reply: Reply): boolean {
  const code = reply.body?.error?.code
  const expected =
    (reply.status === 503 && (code === 'rate_limit_unavailable' || code === 'credential_validation_unavailable')) ||
    (reply.status === 409 && code === 'idempotency_in_progress')
  return expected && Number(reply.headers['retry-after']) >= 1
}

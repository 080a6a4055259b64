/** Waits in numbers of client replies instead of seconds, so trials do not depend on the machine's speed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Writers } from '../../server/test/durability/writers.ts'

/** Clients without any reply for this long hang. */
const hanging_ms = 60_000

export class Pace {
  private readonly writers: Writers

  constructor(writers: Writers) {
    this.writers = writers
  }

  /** Answers, refusals and broken connections so far. */
  get replies(): number {
    return [...this.writers.seen.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Resolves as soon as the condition holds, or with `false` after `replies_max` more replies. */
  async until(isTrue: () => boolean, replies_max: number): Promise<boolean> {
    const last = this.replies + replies_max
    for (const end = Date.now() + hanging_ms; !isTrue(); ) {
      if (this.replies >= last) return false
      if (Date.now() > end) throw new Error(`clients hang: ${JSON.stringify([...this.writers.seen])}`)
      await sleep(1)
    }
    return true
  }

  async pass(replies: number): Promise<void> {
    await this.until(() => false, replies)
  }

  /** Whether `count` more writes are acknowledged within `replies_max` replies. */
  async acknowledges(count: number, replies_max: number): Promise<boolean> {
    const wanted = this.writers.answered.length + count
    return await this.until(() => this.writers.answered.length >= wanted, replies_max)
  }
}

/** How far clients have come, told by how often they were answered or not: so that nothing waits for a time of its own. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Writers } from '../../server/test/durability/writers.ts'

/** Clients that are not even refused for so long hang. */
const hanging_ms = 60_000

export class Pace {
  private readonly writers: Writers

  constructor(writers: Writers) {
    this.writers = writers
  }

  /** Answers, refusals and broken connections until now. */
  get replies(): number {
    return [...this.writers.seen.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Whether it comes true before so many more replies; when it does the answer is there at once. */
  async until(isTrue: () => boolean, replies_max: number): Promise<boolean> {
    const last = this.replies + replies_max
    for (const end = Date.now() + hanging_ms; !isTrue(); ) {
      if (this.replies >= last) return false
      if (Date.now() > end) throw new Error(`clients hang: ${JSON.stringify([...this.writers.seen])}`)
      await sleep(1)
    }
    return true
  }

  /** So many more replies. */
  async pass(replies: number): Promise<void> {
    await this.until(() => false, replies)
  }

  /** Whether so many more writes are acknowledged before so many replies. */
  async acknowledges(count: number, replies_max: number): Promise<boolean> {
    const wanted = this.writers.answered.length + count
    return await this.until(() => this.writers.answered.length >= wanted, replies_max)
  }
}

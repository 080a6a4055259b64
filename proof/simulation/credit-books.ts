/** The credits that processes charged, by credential and minute of their own clocks. No minute may exceed its limit. */
import type { Answer } from '../../server/src/api/declare/request.ts'
import { credits_per_minute } from './installation.ts'

const minute_ms = 60_000
const uncharged = new Set([304, 401, 402, 403, 429])

export class Books {
  charged = 0
  private readonly minutes = new Map<string, number>()

  /** Records an answer, whether or not it arrives. */
  note(key: string, now: number, { status, headers }: Answer, replayed: boolean): void {
    if (replayed || status >= 500 || uncharged.has(status)) return
    const cost = status === 200 ? Number(headers['X-RateLimit-Cost']) : 1
    const minute = `${key} ${Math.floor(now / minute_ms)}`
    this.minutes.set(minute, (this.minutes.get(minute) ?? 0) + cost)
    this.charged += cost
  }

  /** The sums of minutes above the limit. */
  overdrawn(): number[] {
    return [...this.minutes.values()].filter((sum) => sum > credits_per_minute)
  }
}

import { limits } from '../../api/limits.ts'

/** One attempt's use of a connection. */
export interface Use {
  /** Which of the lane's connections it is. */
  readonly number: number
  /** Until when the next attempt waits: from then on the order in which they began is theirs. */
  readonly onItsWay: Promise<void>
  /** Its request is on its way, over a connection that was open already or is a new one. */
  sent(reused: boolean): void
  /** It was answered, and the connection stays open. */
  keep(): void
  /** It has ended. */
  end(): void
}

/**
 * The connections of one lane to its endpoint, as many as may be under way. A request over an open connection overtakes one
 * that is still being accepted, so first attempts would come out of order: while a new connection waits for its answer,
 * only further new ones begin. That costs a wait when a lane begins and nothing from then on.
 */
export class LaneConnections {
  private readonly free = new Set(Array.from({ length: limits.webhook_in_flight_max }, (_, i) => i))
  private readonly open = new Set<number>()
  /** New connections with a request under way. */
  private opening = 0

  /** Whether `take` has one. */
  hasOne(): boolean {
    return this.next() !== undefined
  }

  /** For the next attempt. Call it when `hasOne` only. */
  take(): Use {
    const number = this.next() as number
    this.free.delete(number)
    this.open.delete(number)
    const { promise: onItsWay, resolve } = Promise.withResolvers<void>()
    let isNew = false
    const sent = (reused: boolean): void => {
      if (!reused && !isNew) this.opening++
      isNew ||= !reused
      resolve()
    }
    const end = (): void => {
      if (isNew) this.opening--
      this.free.add(number)
      resolve()
    }
    return { number, onItsWay, sent, keep: () => void this.open.add(number), end }
  }

  private next(): number | undefined {
    const closed = () => this.free.values().find((each) => !this.open.has(each))
    if (this.opening > 0) return closed()
    return this.free.values().find((each) => this.open.has(each)) ?? closed()
  }
}

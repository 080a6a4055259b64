import { limits } from '../../api/limits.ts'

/** One attempt's use of a connection. */
export interface Use {
  /** The number of the connection within the lane. */
  readonly number: number
  /** Resolves when the next attempt may start without overtaking this one. */
  readonly onItsWay: Promise<void>
  /** The request was sent, over a connection that was open already or is new. */
  sent(reused: boolean): void
  /** The request was answered and the connection stays open. */
  keep(): void
  /** The attempt has ended. */
  end(): void
}

/**
 * The connections of one lane to its endpoint, as many as attempts may be in flight. A request over an open connection can
 * overtake one over a connection that is still being accepted, and first attempts would arrive out of order. So while a
 * new connection waits for its answer, only new connections are used. That delays the start of a lane, and nothing later.
 */
export class LaneConnections {
  private readonly free = new Set(Array.from({ length: limits.webhook_in_flight_max }, (_, i) => i))
  private readonly open = new Set<number>()
  /** New connections with a request under way. */
  private opening = 0

  /** Whether a connection is free for the next attempt. */
  hasOne(): boolean {
    return this.next() !== undefined
  }

  /** Takes the connection of the next attempt. Requires `hasOne`. */
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

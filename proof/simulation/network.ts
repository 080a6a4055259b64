/**
 * The network: requests and answers take time, get lost, come twice, and meet partitions, as configured. When a process ends,
 * its clients see a broken connection.
 */
import type { Answer } from '../../server/src/api/declare/request.ts'
import type { EgressRequest, EgressResult } from '../../server/src/egress/egress.ts'
import { egress_limits } from '../../server/src/egress/limits.ts'
import type { Dice } from '../dice.ts'
import type { Core, Sent } from './core.ts'
import type { Timeline } from './timeline.ts'

/** A receiver's answer and how long it takes. */
interface Reply {
  readonly status: number
  readonly body?: string
  readonly retryAfter?: number
  readonly after_ms?: number
}

/** A receiver's reaction; `hang`: no answer. */
export type Reaction = Reply | 'hang'

export type Receiver = (request: EgressRequest, now_ms: number) => Reaction

/** Probabilities of network failures. */
export interface Weather {
  readonly lost: number
  readonly doubled: number
  readonly slow: number
  readonly reset: number
}

export const fair_weather: Weather = { lost: 0, doubled: 0, slow: 0, reset: 0 }

/** The timeout of clients. */
const patience_ms = 8000

interface Partition {
  /** Null: all processes. */
  readonly core: string | null
  readonly host: string
  readonly until_ms: number
}

export class Network {
  weather: Weather = fair_weather
  readonly partitions: Partition[] = []
  readonly receivers = new Map<string, Receiver>()
  private readonly timeline: Timeline
  private readonly dice: Dice

  constructor(timeline: Timeline, dice: Dice) {
    this.timeline = timeline
    this.dice = dice
  }

  private latency(): number {
    const { dice, weather } = this
    return dice.chance(weather.slow) ? dice.int(100, 4000) : 0.2 + dice.unit() * 15
  }

  /** Sends a client's request; resolves with null if there is no answer. `stray` gets answers to a second copy. */
  ask(core: Core, sent: Sent, stray: (answer: Answer) => void = () => {}): Promise<Answer | null> {
    const { timeline, dice, weather } = this
    return new Promise((resolve) => {
      let forget = () => {}
      const end = (answer: Answer | null): void => {
        forget()
        late.act = null
        resolve(answer)
      }
      const late = timeline.after(patience_ms, 'no answer', null, () => end(null))
      forget = core.onEnd(() => timeline.after(this.latency(), 'reset', null, () => end(null)))
      if (!core.isUp) timeline.after(1, 'refused', null, () => end(null))
      this.carry(core, sent, end)
      if (dice.chance(weather.doubled)) this.carry(core, sent, stray)
    })
  }

  private carry(core: Core, sent: Sent, answered: (answer: Answer) => void): void {
    const { timeline, dice, weather } = this
    if (dice.chance(weather.lost)) return
    timeline.after(this.latency(), 'request', core.life, () => {
      if (!core.isUp) return
      core.handle(sent, (answer) => {
        timeline.trace.add(`${answer.status} ${answer.body}`)
        if (!dice.chance(weather.lost)) timeline.after(this.latency(), 'answer', null, () => answered(answer))
      })
    })
  }

  isApart(core: Core, host: string): boolean {
    const { now } = this.timeline
    return this.partitions.some(
      (each) => each.until_ms > now && each.host === host && (each.core === null || each.core === core.life.name),
    )
  }

  /** Carries an outgoing request of a process. */
  send(core: Core, request: EgressRequest): Promise<EgressResult> {
    const { timeline, dice, weather } = this
    const { hostname } = request.url
    return new Promise((resolve) => {
      const end = (wait_ms: number, result: EgressResult): void =>
        void timeline.after(wait_ms, result.ok ? `${hostname} ${result.status}` : result.failure, core.life, () =>
          resolve(result),
        )
      const receiver = this.receivers.get(hostname)
      if (receiver === undefined || this.isApart(core, hostname)) {
        return end(egress_limits.egress_unreachable_ms, { ok: false, failure: 'unreachable' })
      }
      if (dice.chance(weather.lost)) return end(request.total_ms, { ok: false, failure: 'timeout' })
      const times = dice.chance(weather.doubled) ? 2 : 1
      for (let i = 0; i < times; i++) {
        const there_ms = this.latency()
        timeline.after(there_ms, `to ${hostname}`, null, () => {
          const reaction = receiver(request, timeline.now)
          timeline.trace.add(String(request.body))
          if (i > 0) return
          const left_ms = request.total_ms - there_ms
          const back_ms = this.latency() + (reaction === 'hang' ? 0 : (reaction.after_ms ?? 0))
          if (dice.chance(weather.reset)) end(back_ms, { ok: false, failure: 'protocol' })
          else if (reaction === 'hang' || dice.chance(weather.lost) || back_ms > left_ms) {
            end(Math.max(0, left_ms), { ok: false, failure: 'timeout' })
          } else end(back_ms, toResult(reaction))
        })
      }
    })
  }
}

function toResult({ status, body = '', retryAfter }: Reply): EgressResult {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return { ok: true, status, headers, body: Buffer.from(body) }
}

/** Where one seed is simulated: time, chance and a network of its own, and what was noticed there. */

import type { Answer } from '../../server/src/api/request.ts'
import type { Config } from '../../server/src/config.ts'
import type { EgressRequest, EgressResult } from '../../server/src/lib/egress.ts'
import type { Log } from '../../server/src/lib/log.ts'
import { Dice } from '../dice.ts'
import { Books } from './books.ts'
import type { Core, Outside } from './core.ts'
import { openFor } from './database.ts'
import { hosts } from './installation.ts'
import { Network } from './network.ts'
import { runOn } from './runtime.ts'
import { type Life, Timeline } from './timeline.ts'
import { Trace } from './trace.ts'

/** What is waited for in a stage must come within this time. */
const patience_ms = 150_000

export class Stage implements Outside {
  readonly config: Config
  readonly dice: Dice
  readonly timeline: Timeline
  readonly network: Network
  readonly books = new Books()
  readonly violations: string[] = []
  /** What the clocks of its processes showed when it began; they leap with it. */
  epoch_ms: number
  /** Whoever needs the lock of the database may not get it for long, and may say so. */
  private mayBeLocked = false
  private readonly cores = new WeakMap<Life, Core>()

  constructor(config: Config, seed: number, epoch_ms: number) {
    this.config = config
    this.epoch_ms = epoch_ms
    this.dice = new Dice(seed)
    this.timeline = new Timeline(this.dice.fork(), new Trace())
    this.network = new Network(this.timeline, this.dice.fork())
    runOn({ timeline: this.timeline, dice: this.dice.fork(), wall: () => this.wall() })
    openFor(() => (this.timeline.life === null ? null : (this.cores.get(this.timeline.life) ?? null)))
  }

  /** What a clock shows that goes right, in whole milliseconds. */
  wall(): number {
    return Math.floor(this.epoch_ms + this.timeline.now)
  }

  born(core: Core): void {
    this.cores.set(core.life, core)
  }

  paused(): void {
    this.mayBeLocked = true
  }

  send(core: Core, request: EgressRequest): Promise<EgressResult> {
    const answer = this.network.send(core, request)
    if (request.url.hostname === hosts.steps) core.reach('in_call')
    return answer
  }

  /** A process that fails at something says so in its log, and ought not to. */
  logged(core: Core, level: keyof Log, message: string, fields: object = {}): void {
    const text = JSON.stringify(fields)
    this.timeline.trace.add(`${level} ${message} ${text}`)
    const isExcused =
      this.mayBeLocked && /StoreUnavailable|database is (?:locked|not open)|store is not available/.test(message + text)
    if (level === 'error' && core.life.alive && !isExcused) this.violated(`${message}: ${text.slice(0, 600)}`)
  }

  charged(key: string, now: number, answer: Answer, replayed: boolean): void {
    this.books.note(key, now, answer, replayed)
  }

  readonly violated = (text: string): void => {
    this.violations.push(`at ${Math.round(this.timeline.now)} ms: ${text}`)
  }

  /** Lets things happen until a promise is settled. */
  async until<T>(work: Promise<T>): Promise<T> {
    const { timeline } = this
    let isOver = false
    const over = (): void => {
      isOver = true
    }
    work.then(over, over)
    await timeline.run(timeline.now + patience_ms, () => isOver)
    if (!isOver) throw new Error('something that was waited for does not end')
    return await work
  }
}

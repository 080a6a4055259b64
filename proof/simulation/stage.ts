/** The environment of one seed: its own time, randomness and network, and the violations found. */

import type { Answer } from '../../server/src/api/declare/request.ts'
import type { Config } from '../../server/src/config.ts'
import type { EgressRequest, EgressResult } from '../../server/src/egress/egress.ts'
import type { Log } from '../../server/src/lib/log.ts'
import { Dice } from '../dice.ts'
import type { Core, OutsideWorld } from './core.ts'
import { Books } from './credit-books.ts'
import { openFor } from './database.ts'
import { hosts } from './installation.ts'
import { Network } from './network.ts'
import { runOn } from './runtime.ts'
import { type Life, Timeline } from './timeline.ts'
import { Trace } from './trace.ts'

/** Anything awaited on a stage must happen within this time. */
const patience_ms = 150_000

export class Stage implements OutsideWorld {
  readonly config: Config
  readonly dice: Dice
  readonly timeline: Timeline
  readonly network: Network
  readonly books = new Books()
  readonly violations: string[] = []
  /** The wall clock at the beginning of the seed. */
  epoch_ms: number
  /** The database lock may be held by a paused process, and others may log that they wait. */
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

  /** The correct wall clock, in whole milliseconds. */
  wall(): number {
    return Math.floor(this.epoch_ms + this.timeline.now)
  }

  starting(core: Core): void {
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

  /** Errors and warnings in a process's log are violations. */
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

  /** Lets time pass until a promise is settled. */
  async until<T>(work: Promise<T>): Promise<T> {
    const { timeline } = this
    let isOver = false
    const over = (): void => {
      isOver = true
    }
    work.then(over, over)
    await timeline.run(timeline.now + patience_ms, () => isOver)
    if (!isOver) throw new Error('an awaited promise was never settled')
    return await work
  }
}

/** What all participants of a seed share: time, network, processes, and the violations. */
import type { Dice } from '../dice.ts'
import { Core, type OutsideWorld } from './core.ts'
import type { Installed } from './installation.ts'
import type { Network } from './network.ts'
import type { Timeline } from './timeline.ts'

export interface World {
  readonly timeline: Timeline
  readonly network: Network
  readonly dice: Dice
  readonly installed: Installed
  readonly machines: readonly Machine[]
  violated(text: string): void
}

/** A machine, which runs one process at a time. */
export class Machine {
  readonly name: string
  readonly skew_ms: number
  core: Core
  starts = 1
  /** It starts no further process. */
  isRetired = false
  private readonly outside: OutsideWorld

  constructor(outside: OutsideWorld, name: string, skew_ms: number) {
    this.outside = outside
    this.name = name
    this.skew_ms = skew_ms
    this.core = new Core(outside, `${name}1`, skew_ms)
    this.core.start()
  }

  /** Its process does nothing for a while and does not notice. */
  pause(wait_ms: number): void {
    this.core.life.busyUntil = this.outside.timeline.now + wait_ms
    this.outside.paused()
  }

  /** Starts a new process after the last one has ended. */
  restart(): void {
    if (!this.core.isDead || this.isRetired) return
    this.core = new Core(this.outside, `${this.name}${++this.starts}`, this.skew_ms)
    this.core.start()
  }
}

/** What the row has sent and found. The same kind of violation is told a few times only. */
import type { Trial } from '../row.ts'
import type { Turn } from './stall.ts'

const told_max = 3

export class Tally {
  requests = 0
  readonly statuses = new Map<number, number>()
  /** Requests that were granted, by operation. */
  readonly accepted = new Map<string, number>()
  /** The longest turns of event loops, by engine. */
  readonly longest = new Map<string, Turn>()
  /** Rounds in which the clock could be believed, and all. */
  readonly rounds = { quiet: 0, all: 0 }
  private readonly trial: Trial
  private readonly kinds = new Map<string, number>()
  private found = 0

  constructor(trial: Trial) {
    this.trial = trial
  }

  /** A planted fault needs to be found only once. */
  get isOver(): boolean {
    return this.trial.fault !== null && this.found > 0
  }

  count(status: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }

  grant(operation: string): void {
    this.accepted.set(operation, (this.accepted.get(operation) ?? 0) + 1)
  }

  turn(engine: string, { ms, cpu_ms }: Turn): void {
    const known = this.longest.get(engine) ?? { ms: 0, cpu_ms: 0 }
    this.longest.set(engine, { ms: Math.max(ms, known.ms), cpu_ms: Math.max(cpu_ms, known.cpu_ms) })
  }

  violated(kind: string, text: string): void {
    this.found++
    const told = (this.kinds.get(kind) ?? 0) + 1
    this.kinds.set(kind, told)
    if (told <= told_max) this.trial.violated(text)
  }
}

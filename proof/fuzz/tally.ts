/** What the row has sent and found. Reports each kind of violation only a few times. */
import type { Trial } from '../row.ts'
import type { Turn } from './stall.ts'

const reports_max = 3

export class Tally {
  requests = 0
  readonly statuses = new Map<number, number>()
  /** Successful requests by operation. */
  readonly accepted = new Map<string, number>()
  /** The longest event loop turn by engine. */
  readonly longest = new Map<string, Turn>()
  /** Rounds on a quiet machine, and all rounds. */
  readonly rounds = { quiet: 0, all: 0 }
  private readonly trial: Trial
  private readonly kinds = new Map<string, number>()

  constructor(trial: Trial) {
    this.trial = trial
  }

  get isOver(): boolean {
    return this.trial.isOver
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
    const times = (this.kinds.get(kind) ?? 0) + 1
    this.kinds.set(kind, times)
    if (times <= reports_max) this.trial.violated(text)
  }
}

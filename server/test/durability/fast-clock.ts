/** A clock that runs faster than the machine's. Processes with the same start and rate agree on the time. */
import type { Clock } from '../../src/lib/clock.ts'

export interface Pace {
  /** When it agreed with the machine's clock, in milliseconds. */
  readonly begun: number
  /** The milliseconds that it advances per millisecond. */
  readonly rate: number
}

export function fastClock({ begun, rate }: Pace): Clock {
  return { now: () => Math.floor(begun + (Date.now() - begun) * rate) }
}

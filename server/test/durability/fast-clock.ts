/** A clock that runs faster than the machine's: processes that share a beginning and a pace agree on it. */
import type { Clock } from '../../src/lib/clock.ts'

export interface Pace {
  /** When it agreed with the machine's clock, in milliseconds. */
  readonly begun: number
  /** How many milliseconds it goes on in one. */
  readonly rate: number
}

export function fastClock({ begun, rate }: Pace): Clock {
  return { now: () => Math.floor(begun + (Date.now() - begun) * rate) }
}

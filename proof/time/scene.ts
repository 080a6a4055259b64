/** A world whose clock is set to moments, with the checks made at each of them. */
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import type { EngineName, Violated } from '../row.ts'

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** Moments at which clocks and calendars often fail. */
export const hard_moments: readonly number[] = [
  // Before a leap day, the leap day, and the end of a leap year.
  Date.parse('2028-02-28T23:59:59.999Z'),
  Date.parse('2028-02-29T23:59:59.999Z'),
  Date.parse('2028-12-31T23:59:59.999Z'),
  // Not a leap year, although divisible by four.
  Date.parse('2100-02-28T23:59:59.999Z'),
  // 2^31 and 2^32 seconds.
  2 ** 31 * second - 1,
  2 ** 32 * second - 1,
]

/** How far clocks jump, in both directions. */
const jumps: readonly number[] = [1, second, minute, 5 * minute, hour, day]

export class Scene {
  readonly engine: EngineName
  readonly world: World
  readonly dice: Dice
  /** How many moments have been tried. */
  moments = 0
  private readonly report: Violated

  constructor(engine: EngineName, world: World, dice: Dice, report: Violated) {
    this.engine = engine
    this.world = world
    this.dice = dice
    this.report = report
  }

  violated(text: string): void {
    this.report(`${this.engine} at ${new Date(this.now).toISOString()}: ${text}`)
  }

  get now(): number {
    return this.world.clock.now()
  }

  /** Sets the clock, forward or back. */
  at(ms: number): void {
    this.world.clock.set(ms)
    this.moments++
  }

  /** A random jump, forward or back. */
  jump(): number {
    return this.dice.pick([1, -1]) * this.dice.pick(jumps)
  }

  /** Moments around an edge, in random order, because clocks also go back. */
  around(edge: number): number[] {
    const near = [-second, -1, 0, 1, second].map((distance) => edge + distance)
    return this.dice.shuffle([...near, edge - this.dice.int(1, hour), edge + this.dice.int(1, day)])
  }

  /** A random moment to begin with, ordinary or hard, not always at a full second. */
  start(): number {
    const base = this.dice.chance(0.5) ? this.dice.pick(hard_moments) : Date.parse('2026-11-21T12:00:00Z')
    return base + this.dice.pick([0, 0, 1, this.dice.int(-day, day)])
  }

  /** Reports a violation unless the values are equal. */
  expect(actual: unknown, expected: unknown, what: string): void {
    if (actual !== expected) this.violated(`${what} is ${actual} and should be ${expected}`)
  }
}

/** A world whose clock is set to moments, and what is looked at in each of them. */
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import type { EngineName } from '../row.ts'

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** Moments at which clocks and calendars have gone wrong before. */
export const hard_moments: readonly number[] = [
  // The day before a leap day, the leap day, and the end of a year that has one.
  Date.parse('2028-02-28T23:59:59.999Z'),
  Date.parse('2028-02-29T23:59:59.999Z'),
  Date.parse('2028-12-31T23:59:59.999Z'),
  // No leap year, though four divides it.
  Date.parse('2100-02-28T23:59:59.999Z'),
  // 2^31 and 2^32 seconds.
  2 ** 31 * second - 1,
  2 ** 32 * second - 1,
]

/** How far clocks jump; both ways. */
const jumps: readonly number[] = [1, second, minute, 5 * minute, hour, day]

export class Scene {
  readonly engine: EngineName
  readonly world: World
  readonly dice: Dice
  /** How many moments have been tried. */
  moments = 0
  private readonly tell: (text: string) => void

  constructor(engine: EngineName, world: World, dice: Dice, tell: (text: string) => void) {
    this.engine = engine
    this.world = world
    this.dice = dice
    this.tell = tell
  }

  /** Notes a violation. */
  violated(text: string): void {
    this.tell(`${this.engine} at ${new Date(this.now).toISOString()}: ${text}`)
  }

  get now(): number {
    return this.world.clock.now()
  }

  /** Sets the clock, forward or back. */
  at(ms: number): void {
    this.world.clock.set(ms)
    this.moments++
  }

  /** A jump by chance, forward or back. */
  jump(): number {
    return this.dice.pick([1, -1]) * this.dice.pick(jumps)
  }

  /** Moments around an edge, a little before it to a little behind, in any order: clocks go back too. */
  around(edge: number): number[] {
    const near = [-second, -1, 0, 1, second].map((distance) => edge + distance)
    return this.dice.shuffle([...near, edge - this.dice.int(1, hour), edge + this.dice.int(1, day)])
  }

  /** Some moment to begin with: an ordinary one, or a hard one, not always to the second. */
  start(): number {
    const base = this.dice.chance(0.5) ? this.dice.pick(hard_moments) : Date.parse('2026-11-21T12:00:00Z')
    return base + this.dice.pick([0, 0, 1, this.dice.int(-day, day)])
  }

  /** Notes a violation unless what is is what should be. */
  expect(is: unknown, should: unknown, what: string): void {
    if (is !== should) this.violated(`${what} is ${is} and should be ${should}`)
  }
}

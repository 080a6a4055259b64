/** Seeded randomness: the same seed gives the same numbers on every machine. */
export class Dice {
  private state: number

  constructor(seed: number) {
    this.state = (seed ^ 0x9e3779b9) >>> 0
  }

  /** The next 32 bits (mulberry32). */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** In [0, 1). */
  unit(): number {
    return this.next() / 2 ** 32
  }

  /** A whole number from `least` to `most`, inclusive. */
  int(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1))
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.unit() < probability
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list')
    return items[this.int(0, items.length - 1)] as T
  }

  shuffle<T>(items: readonly T[]): T[] {
    const mixed = [...items]
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = this.int(0, i)
      const held = mixed[i] as T
      mixed[i] = mixed[j] as T
      mixed[j] = held
    }
    return mixed
  }

  /** Independent dice for a part of the trial, so that one part's draws do not change another's. */
  fork(): Dice {
    return new Dice(this.next())
  }
}

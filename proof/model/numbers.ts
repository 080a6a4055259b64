/** What a command is made of: numbers, read off one by one. Small ones choose what is plain, so that shrinking simplifies. */
export class Numbers {
  private readonly list: readonly number[]
  private at = 0

  constructor(list: readonly number[]) {
    this.list = list
  }

  /** From 0 to below `count`; 0 when the numbers are used up. */
  below(count: number): number {
    return (this.list[this.at++] ?? 0) % count
  }

  /** The first of them is the plain one. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('there is nothing to pick from')
    return items[this.below(items.length)] as T
  }

  /** Whether something out of the ordinary happens; never for 0. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent
  }
}

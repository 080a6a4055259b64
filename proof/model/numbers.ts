/** The numbers that a command is drawn from. Small numbers choose simple things, so shrinking simplifies. */
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

  /** The first item is the simplest. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list')
    return items[this.below(items.length)] as T
  }

  /** Whether something unusual happens; never for 0. */
  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent
  }
}

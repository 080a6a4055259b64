/** Bounds concurrent work of this process. Slots are given in the order in which they were asked for. */
export class Slots {
  private readonly max: number
  private readonly waiting: (() => void)[] = []
  private taken = 0

  constructor(max: number) {
    this.max = max
  }

  /** Waits for a slot. The returned function releases it; call it once. */
  async take(): Promise<() => void> {
    if (this.taken >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.taken++
    return () => {
      const next = this.waiting.shift()
      if (next === undefined) this.taken--
      else next()
    }
  }
}

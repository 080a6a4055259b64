/**
 * Long work on the main thread is done in slices with a pause between them. Of all such work, one slice runs per turn
 * of the event loop, so that requests are served in between, however many tasks wait.
 */
import { performance } from 'node:perf_hooks'

let last: Promise<unknown> = Promise.resolve()

/** Resolves after the event loop has run and everything that asked before has had its turn. */
function turn(): Promise<unknown> {
  last = last.then(() => new Promise(setImmediate))
  return last
}

/** How many items fit into a slice of a given time, measured during the work. */
export class Slices {
  size: number
  private readonly size_min: number
  private readonly size_max: number
  private readonly slice_ms: number
  private readonly until: number
  private from = performance.now()

  /**
   * Starts with `size_min` items and grows to `size_max`; a slice should take `slice_ms`, all slices together at most
   * `all_ms`.
   */
  constructor(size_min: number, size_max: number, slice_ms: number, all_ms: number) {
    this.size = size_min
    this.size_min = size_min
    this.size_max = size_max
    this.slice_ms = slice_ms
    this.until = this.from + all_ms
  }

  /** Ends a slice and waits for the next turn. False if the total time is used up. */
  async next(): Promise<boolean> {
    const now = performance.now()
    if (now > this.until) return false
    const fitting = (this.size * this.slice_ms) / Math.max(now - this.from, 0.01)
    // At most four times as much as before: one fast slice says little about the next.
    this.size = Math.round(Math.min(Math.max(fitting, this.size_min), this.size * 4, this.size_max))
    await turn()
    this.from = performance.now()
    return true
  }
}

/**
 * Long work in the one thread: whoever goes on for long does it in slices and waits for a turn between them. One slice of
 * all such work is done in a turn of the event loop, so that requests are served meanwhile, however many wait.
 */
import { performance } from 'node:perf_hooks'

let last: Promise<unknown> = Promise.resolve()

/** Resolves when the event loop has served others and everybody who asked before. */
function turn(): Promise<unknown> {
  last = last.then(() => new Promise(setImmediate))
  return last
}

/** How much of something takes a given time, learnt while it is done. */
export class Slices {
  size: number
  private readonly size_min: number
  private readonly size_max: number
  private readonly slice_ms: number
  private readonly until: number
  private from = performance.now()

  /** Begins with `size_min`, up to `size_max`, of which each should take `slice_ms`; all together `all_ms` at most. */
  constructor(size_min: number, size_max: number, slice_ms: number, all_ms: number) {
    this.size = size_min
    this.size_min = size_min
    this.size_max = size_max
    this.slice_ms = slice_ms
    this.until = this.from + all_ms
  }

  /** Ends a slice and waits for the next. False when the time for all of them is over. */
  async next(): Promise<boolean> {
    const now = performance.now()
    if (now > this.until) return false
    const fitting = (this.size * this.slice_ms) / Math.max(now - this.from, 0.01)
    // Not by leaps: one quick slice says little about the next.
    this.size = Math.round(Math.min(Math.max(fitting, this.size_min), this.size * 4, this.size_max))
    await turn()
    this.from = performance.now()
    return true
  }
}

/** Which characters of some modules have run, from V8's coverage counters: distinguishes inputs that reach new code. */
import { Session } from 'node:inspector'

interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly Range[] }[]
}

/** By module: 1 for each character that ran, else 0. */
export type ReachedCode = ReadonlyMap<string, Uint8Array>

export class Coverage {
  private readonly session = new Session()
  private readonly isWatched: (url: string) => boolean
  private readonly known = new Map<string, Uint8Array>()
  private count = 0

  /** Counts from now on in the modules whose URL matches. */
  constructor(isWatched: (url: string) => boolean) {
    this.isWatched = isWatched
    this.session.connect()
    this.session.post('Profiler.enable')
    this.begin()
  }

  /** How many characters of code have run so far. */
  get size(): number {
    return this.count
  }

  begin(): void {
    this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Until the next `begin` code runs at full speed, uncounted. */
  stop(): void {
    this.session.post('Profiler.stopPreciseCoverage')
  }

  /** The code reached since the last call and never before; `null` if none. */
  takeNew(): ReachedCode | null {
    const fresh = new Map<string, Uint8Array>()
    for (const [url, now] of this.takeCounts()) {
      const known = this.knownOf(url, now.length)
      let found = 0
      for (let i = 0; i < now.length; i++) {
        if (now[i] === 1 && known[i] === 0) found += known[i] = 1
        else now[i] = 0
      }
      this.count += found
      if (found > 0) fresh.set(url, now)
    }
    return fresh.size === 0 ? null : fresh
  }

  /** Whether code of `sought` was reached since the last call; with `takes` that code is removed from `sought`. */
  reaches(sought: ReachedCode, takes: boolean): boolean {
    let isReached = false
    for (const [url, now] of this.takeCounts()) {
      const left = sought.get(url)
      if (left === undefined) continue
      for (let i = 0; i < left.length; i++) {
        if (left[i] === 0 || now[i] !== 1) continue
        isReached = true
        if (!takes) break
        left[i] = 0
      }
    }
    return isReached
  }

  close(): void {
    this.session.disconnect()
  }

  private knownOf(url: string, length: number): Uint8Array {
    const held = this.known.get(url)
    if (held !== undefined && held.length >= length) return held
    const longer = new Uint8Array(length)
    if (held !== undefined) longer.set(held)
    this.known.set(url, longer)
    return longer
  }

  private takeCounts(): Map<string, Uint8Array> {
    let scripts: readonly ScriptCoverage[] = []
    this.session.post('Profiler.takePreciseCoverage', (_error, taken) => {
      scripts = taken.result
    })
    return new Map(
      scripts.filter(({ url }) => this.isWatched(url)).map(({ url, functions }) => [url, paint(functions)]),
    )
  }
}

/** Outer ranges precede inner ones, so the last range that covers a character counts. */
function paint(functions: ScriptCoverage['functions']): Uint8Array {
  let length = 0
  for (const { ranges } of functions) length = Math.max(length, ...ranges.map(({ endOffset }) => endOffset))
  const now = new Uint8Array(length)
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) now.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  return now
}

/**
 * How long the event loop of this process blocked: wall time, measured by a late timer, and the CPU time spent meanwhile. On a
 * busy machine wall time says more about other processes, even without the time that the thread waited for a CPU; CPU time is
 * its own on every machine.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'

const every_ms = 5
/** Garbage collections above this are recorded. */
const collection_ms_min = 5
/** No turn of an event loop may be longer. */
export const turn_ms_max = 50

/** A turn of the event loop. */
export interface Turn {
  /** Wall time, without waits for a CPU. */
  readonly ms: number
  /** CPU time of this thread. */
  readonly cpu_ms: number
}

interface LongTurn extends Turn {
  /** Time spent on garbage collection. */
  readonly garbage_ms: number
}

export interface Watched {
  /** The turns above the bound, in wall time or CPU time. */
  readonly turns: readonly LongTurn[]
  readonly longest: Turn
  /** The share of time in which this thread waited for a CPU: how busy the machine was. */
  readonly waited: number
}

interface Spell {
  readonly from: number
  readonly until: number
}

const none: Turn = { ms: 0, cpu_ms: 0 }

export class StallWatch {
  private readonly file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  private readonly bytes = Buffer.alloc(128)
  private timer: NodeJS.Timeout
  private at = performance.now()
  private waited = this.waitedMs()
  private cpu = process.threadCpuUsage()
  private turns: (Turn & Spell)[] = []
  private collections: Spell[] = []
  /** Collections are reported one turn later. */
  private readonly collector = new PerformanceObserver((list) => {
    for (const { startTime: from, duration } of list.getEntries()) {
      if (duration > collection_ms_min) this.collections.push({ from, until: from + duration })
    }
  })
  private longest = none
  private begun = { at: this.at, waited: this.waited }

  constructor() {
    this.timer = setTimeout(() => this.measure(), every_ms).unref()
    this.collector.observe({ entryTypes: ['gc'] })
  }

  /** Measurements since the last call. */
  take(): Watched {
    const { longest, begun, collections } = this
    const turns = this.turns.map(({ from, until, ...turn }) => ({
      ...turn,
      garbage_ms: Math.round(sum(collections.map((each) => Math.min(until, each.until) - Math.max(from, each.from)))),
    }))
    const [at, waited] = [performance.now(), this.waitedMs()]
    this.turns = []
    this.collections = []
    this.longest = none
    this.begun = { at, waited }
    return { turns, longest, waited: (waited - begun.waited) / (at - begun.at) }
  }

  close(): void {
    clearTimeout(this.timer)
    this.collector.disconnect()
    closeSync(this.file)
  }

  private measure(): void {
    const waited = this.waitedMs()
    const { user, system } = process.threadCpuUsage(this.cpu)
    const ms = Math.round(performance.now() - this.at - every_ms - (waited - this.waited))
    const turn = { ms, cpu_ms: Math.round((user + system) / 1000) }
    const { longest } = this
    this.longest = { ms: Math.max(ms, longest.ms), cpu_ms: Math.max(turn.cpu_ms, longest.cpu_ms) }
    if (turn.ms > turn_ms_max || turn.cpu_ms > turn_ms_max)
      this.turns.push({ ...turn, from: this.at, until: performance.now() })
    this.waited = waited
    this.cpu = process.threadCpuUsage()
    this.at = performance.now()
    this.timer = setTimeout(() => this.measure(), every_ms).unref()
  }

  /** How long this thread has waited for a CPU since its start. */
  private waitedMs(): number {
    const length = readSync(this.file, this.bytes, 0, this.bytes.length, 0)
    return Number(this.bytes.toString('latin1', 0, length).split(' ')[1]) / 1e6
  }
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + Math.max(0, length), 0)
}

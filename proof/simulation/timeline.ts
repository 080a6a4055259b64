/**
 * Simulated time: one queue of entries in one thread. A simulated process acts only in its entries, each of which runs until
 * nothing more can run and takes a little time. The entries of a killed process never run.
 */
import { setImmediate as nextTurn } from 'node:timers'
import type { Dice } from '../dice.ts'
import { Memory } from './memory.ts'
import type { Trace } from './trace.ts'

/** The real one, taken before it is replaced, to wait for promises. */
const turn: (resolve: () => void) => unknown = nextTurn

/** One process from its start to its end. */
export class Life {
  readonly name: string
  /** How far its clock is ahead. */
  readonly skew_ms: number
  readonly memory = new Memory()
  alive = true
  /** Until then it does nothing: it is working or paused. */
  busyUntil = 0

  constructor(name: string, skew_ms = 0) {
    this.name = name
    this.skew_ms = skew_ms
  }
}

export interface Entry {
  at: number
  /** When it was due, before its process was busy. */
  due: number
  readonly number: number
  readonly life: Life | null
  readonly what: string
  /** Null: cancelled. */
  act: (() => void) | null
}

export class Timeline {
  /** Milliseconds since the beginning, with fractions. */
  now = 0
  /** The process of the running entry; null: the world. */
  life: Life | null = null
  steps = 0
  readonly trace: Trace
  private readonly dice: Dice
  private readonly queue: Entry[] = []
  private numbered = 0

  constructor(dice: Dice, trace: Trace) {
    this.dice = dice
    this.trace = trace
  }

  /** Adds an entry that runs `wait_ms` from now, in a process or, with null, in the world. */
  after(wait_ms: number, what: string, life: Life | null, act: () => void): Entry {
    const at = this.now + Math.max(0, wait_ms)
    const entry = { at, due: at, number: ++this.numbered, life, what, act }
    push(this.queue, entry)
    return entry
  }

  /** Waits in the world. */
  sleep(wait_ms: number, what = 'wait'): Promise<void> {
    return new Promise((resolve) => this.after(wait_ms, what, null, resolve))
  }

  /** Runs entries until `until_ms`, or until `done` returns true between two entries. */
  async run(until_ms: number, done: () => boolean = () => false): Promise<void> {
    while (!done()) {
      const entry = this.queue[0]
      if (entry === undefined || entry.at > until_ms) {
        this.now = until_ms
        return
      }
      pop(this.queue)
      if (entry.act === null || entry.life?.alive === false) continue
      if (entry.life !== null && entry.life.busyUntil > entry.at) {
        entry.at = entry.life.busyUntil
        push(this.queue, entry)
      } else await this.happen(entry, entry.act)
    }
  }

  private async happen(entry: Entry, act: () => void): Promise<void> {
    const { life } = entry
    this.now = entry.at
    this.steps++
    this.trace.add(`${entry.at.toFixed(3)} ${life?.name ?? ''} ${entry.what}`)
    this.life = life
    life?.memory.enter()
    act()
    await new Promise<void>((resolve) => void turn(resolve))
    life?.memory.leave()
    this.life = null
    if (life !== null) life.busyUntil = Math.max(life.busyUntil, entry.at + 0.02 + 0.2 * this.dice.unit() ** 4)
  }
}

function before(a: Entry, b: Entry): boolean {
  if (a.at !== b.at) return a.at < b.at
  return a.due !== b.due ? a.due < b.due : a.number < b.number
}

function push(queue: Entry[], entry: Entry): void {
  let at = queue.push(entry) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = queue[parent] as Entry
    if (!before(entry, above)) break
    queue[at] = above
    at = parent
  }
  queue[at] = entry
}

function pop(queue: Entry[]): void {
  const last = queue.pop() as Entry
  if (queue.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= queue.length) break
    if (child + 1 < queue.length && before(queue[child + 1] as Entry, queue[child] as Entry)) child++
    if (!before(queue[child] as Entry, last)) break
    queue[at] = queue[child] as Entry
    at = child
  }
  queue[at] = last
}

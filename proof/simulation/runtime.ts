/**
 * Replaces Node's time and randomness for good: the product and its packages take timers, clocks and random numbers from the
 * running simulation, and their threads run in simulated time too. The process can then do nothing but simulate.
 */
import nodeCrypto from 'node:crypto'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import nodeTimers from 'node:timers'
import nodeTimersPromises from 'node:timers/promises'
import nodeThreads from 'node:worker_threads'
import type { Dice } from '../dice.ts'
import type { Entry, Timeline } from './timeline.ts'

export interface Machine {
  readonly timeline: Timeline
  readonly dice: Dice
  /** The wall clock of the current process, in whole milliseconds. */
  readonly wall: () => number
}

let machine: Machine | null = null

function running(): Machine {
  if (machine === null) throw new Error('time or randomness was used outside a simulation')
  return machine
}

/** From now on this machine provides time and randomness. */
export function runOn(next: Machine | null): void {
  machine = next
}

class Timer {
  private entry: Entry
  private readonly wait_ms: number
  private readonly act: () => void
  private readonly repeats: boolean

  constructor(wait_ms: number, act: () => void, repeats: boolean) {
    this.wait_ms = Number.isNaN(wait_ms) ? 1 : Math.min(Math.max(1, wait_ms), 2 ** 31 - 1)
    this.act = act
    this.repeats = repeats
    this.entry = this.enter()
  }

  private enter(): Entry {
    const { timeline } = running()
    return timeline.after(this.wait_ms, 'timer', timeline.life, () => {
      if (this.repeats) this.entry = this.enter()
      this.act()
    })
  }

  cancel(): void {
    this.entry.act = null
  }

  refresh(): this {
    this.cancel()
    this.entry = this.enter()
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    this.cancel()
  }
}

type Act = (...args: unknown[]) => void

const clear = (timer: unknown): void => {
  if (timer instanceof Timer) timer.cancel()
}

function immediate(act: () => void): { cancel(): void } {
  const { timeline } = running()
  const entry = timeline.after(0, 'turn', timeline.life, act)
  return {
    cancel() {
      entry.act = null
    },
  }
}

const timers = {
  setTimeout: (act: Act, wait_ms = 1, ...args: unknown[]) => new Timer(wait_ms, () => act(...args), false),
  setInterval: (act: Act, wait_ms = 1, ...args: unknown[]) => new Timer(wait_ms, () => act(...args), true),
  setImmediate: (act: Act, ...args: unknown[]) => immediate(() => act(...args)),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: (entry: { cancel(): void } | undefined) => entry?.cancel(),
}

const promises = {
  setTimeout: <T>(wait_ms?: number, value?: T) =>
    new Promise((resolve) => timers.setTimeout(() => resolve(value), wait_ms)),
  setImmediate: <T>(value?: T) => new Promise((resolve) => immediate(() => resolve(value))),
}

function fill<T extends ArrayBufferView>(view: T): T {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  const { dice } = running()
  for (let i = 0; i < bytes.length; i++) bytes[i] = dice.int(0, 255)
  return view
}

function uuid(): string {
  const bytes = fill(Buffer.alloc(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const chance = {
  randomFillSync: fill,
  randomBytes: (size: number) => fill(Buffer.alloc(size)),
  randomUUID: uuid,
  randomInt: (least: number, most?: number) =>
    most === undefined ? running().dice.int(0, least - 1) : running().dice.int(least, most - 1),
}

/** Handles a message to a thread; the answer `null` ends the thread. */
export type ThreadWork = (message: unknown) => Promise<unknown>

/** By the end of the file name: starts a thread's work with its data. */
const threads = new Map<string, (data: unknown) => ThreadWork>()

/** Provides the work of a thread's file. */
export function provideThread(file: string, begin: (data: unknown) => ThreadWork): void {
  threads.set(file, begin)
}

/** `null` if it cannot start or is not provided. */
function begun(begin: ((data: unknown) => ThreadWork) | undefined, data: unknown): ThreadWork | null {
  try {
    return begin?.(data) ?? null
  } catch {
    return null
  }
}

/** A thread, run within the process that started it, in turns. A thread that is not provided ends at once. */
class Thread extends EventEmitter {
  private work: ThreadWork | null = null
  private last: Promise<void>

  constructor(file: string, { workerData }: { readonly workerData?: unknown } = {}) {
    super()
    const begin = threads.get(basename(file))
    this.last = new Promise((resolve) =>
      immediate(() => {
        this.work = begun(begin, workerData)
        resolve()
        if (this.work === null) this.emit('exit', 1)
      }),
    )
  }

  postMessage(message: unknown): void {
    this.last = this.last.then(async () => {
      const { work } = this
      if (work === null) return
      await promises.setTimeout(1)
      const answer = await work(message)
      if (answer !== null) this.emit('message', answer)
      else {
        this.work = null
        this.emit('exit', 0)
      }
    })
  }

  ref(): void {}

  unref(): void {}
}

/** Replaces both for good. */
export function replaceTimeAndChance(): void {
  Object.assign(globalThis, timers)
  Object.assign(nodeTimers, timers)
  Object.assign(nodeTimersPromises, promises)
  Object.assign(nodeCrypto, chance)
  Object.assign(nodeThreads, { Worker: Thread })
  globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues
  globalThis.crypto.randomUUID = uuid as typeof globalThis.crypto.randomUUID
  performance.now = () => running().timeline.now
  Date.now = () => running().wall()
  Math.random = () => running().dice.unit()
  syncBuiltinESMExports()
}

/**
 * Node's time and chance, replaced: whatever this process loads (the product and its packages) takes its timers, clocks and
 * random numbers from the simulation that runs, and has no threads. There is no way back: such a process does nothing but
 * simulate.
 */
import nodeCrypto from 'node:crypto'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import nodeTimers from 'node:timers'
import nodeTimersPromises from 'node:timers/promises'
import nodeThreads from 'node:worker_threads'
import type { Dice } from '../dice.ts'
import type { Entry, Timeline } from './timeline.ts'

export interface Machine {
  readonly timeline: Timeline
  readonly dice: Dice
  /** What the wall clock of who asks shows, in whole milliseconds. */
  readonly wall: () => number
}

let machine: Machine | null = null

function running(): Machine {
  if (machine === null) throw new Error('time or chance was asked for outside of a simulation')
  return machine
}

/** From here on this machine's time and chance are everybody's. */
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

/** A thread that ends as soon as it is begun: there is only one here. */
class NoThread extends EventEmitter {
  constructor() {
    super()
    immediate(() => this.emit('exit', 1))
  }

  postMessage(): void {}

  ref(): void {}

  unref(): void {}
}

/** Replaces them for good. */
export function replaceTimeAndChance(): void {
  Object.assign(globalThis, timers)
  Object.assign(nodeTimers, timers)
  Object.assign(nodeTimersPromises, promises)
  Object.assign(nodeCrypto, chance)
  Object.assign(nodeThreads, { Worker: NoThread })
  globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues
  globalThis.crypto.randomUUID = uuid as typeof globalThis.crypto.randomUUID
  performance.now = () => running().timeline.now
  Date.now = () => running().wall()
  Math.random = () => running().dice.unit()
  syncBuiltinESMExports()
}

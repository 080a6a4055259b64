/** The only source of the present time. Code that needs the time takes a `Clock`, so that tests can set it. */
export interface Clock {
  /** The present, in whole milliseconds since 1970-01-01T00:00:00Z. It may pause or go back. */
  now(): number
}

/** The clock of the machine. */
export const systemClock: Clock = { now: Date.now }

/** A clock that only moves when a test sets it. */
export class HandClock implements Clock {
  #now: number

  /** Starts at `ms` since the epoch. */
  constructor(ms: number) {
    this.#now = ms
  }

  now(): number {
    return this.#now
  }

  /** Jumps to `ms` since the epoch, forwards or backwards. */
  set(ms: number): void {
    this.#now = ms
  }

  /** Moves by `ms` milliseconds; a negative number moves back. */
  advance(ms: number): void {
    this.#now += ms
  }
}

/** Milliseconds as the whole Unix seconds that the API shows, rounded down (contract/01#times). */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Unix seconds of the API as the milliseconds that the database stores (contract/01#times). */
export function millis(seconds: number): number {
  return seconds * 1000
}

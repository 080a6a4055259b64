/** Asynchronous file access of the simulated processes: each operation takes time, and dead processes do none. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import nodeFiles from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { currentOpener } from './database.ts'

/** The longest operation in milliseconds. */
const slowest_ms = 4

async function inTime<T>(operation: () => T): Promise<T> {
  await wait(Math.random() * slowest_ms)
  return operation()
}

/** The part of a file handle that the product uses. */
async function open(path: string, flags: string) {
  const file = await inTime(() => openSync(path, flags))
  const held = {
    isOpen: true,
    close(): void {
      if (held.isOpen) closeSync(file)
      held.isOpen = false
    },
  }
  // A killed process closes its files.
  currentOpener()?.opened(held)
  return {
    read: (bytes: Uint8Array, from: number, length: number, at: number) =>
      inTime(() => ({ bytesRead: readSync(file, bytes, from, length, at) })),
    write: (bytes: Uint8Array, from: number, length: number, at: number) =>
      inTime(() => ({ bytesWritten: writeSync(file, bytes, from, length, at) })),
    sync: () => inTime(() => fsyncSync(file)),
    close: () => inTime(() => held.close()),
  }
}

/** Replaces it for good, after time and randomness. */
export function replaceDisk(): void {
  Object.assign(nodeFiles, { open })
  syncBuiltinESMExports()
}

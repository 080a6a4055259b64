/**
 * Keeps work of Node's thread pool (files, compression, digests) from being forgotten. A command that wrote a large backup was seen to
 * wait for 18 minutes for work that no thread took, and to go on as soon as the pool got other work. Condition variables of glibc since
 * 2.27 can lose a wake-up (glibc bug 25847), which fits; it is not proven to be the cause. A server always has other work.
 */
import { stat } from 'node:fs'

const poke_ms = 1000

/** Gives the pool a small piece of work every second, for as long as the process has anything else to wait for. */
export function keepThreadPoolAwake(): void {
  setInterval(() => stat('/', () => {}), poke_ms).unref()
}

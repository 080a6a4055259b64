/**
 * Keeps work of Node's thread pool (files, compression, digests) from being forgotten. The condition variables of glibc 2.27 to 2.40
 * can lose a wake-up (glibc bug 25847), after which queued work waits until other work arrives. A server always has some; a command
 * that writes a backup has none, and was seen waiting forever.
 */
import { stat } from 'node:fs'

const poke_ms = 1000

/** Gives the pool a small piece of work every second, for as long as the process has anything else to wait for. */
export function keepThreadPoolAwake(): void {
  setInterval(() => stat('/', () => {}), poke_ms).unref()
}

/**
 * Kills the process at a named point of its code. `kill-plants.ts` plants the calls; the environment names the point and
 * its n-th passage: `PROOF_KILL_AT=before_commit:17`. Without the variable nothing happens.
 */
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

export const kill_variable = 'PROOF_KILL_AT'

const [wanted, times = '1', delay_us = '0'] = (process.env[kill_variable] ?? '').split(':')
let left = Number(times)

function isDue(point: string): boolean {
  return point === wanted && --left <= 0
}

function end(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** Marks a point where the process may be killed. */
export function reach(point: string): void {
  if (isDue(point)) end()
}

/** A thread that kills the process after `delay_us` of spinning, even while the main thread is blocked. */
const spinning = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { writeSync } = require('node:fs')
  Atomics.wait(workerData.cell, 0, 0)
  const until = process.hrtime.bigint() + BigInt(workerData.delay_us) * 1000n
  while (process.hrtime.bigint() < until);
  if (Atomics.load(workerData.cell, 1) === 0) writeSync(1, 'killed inside\\n')
  process.kill(process.pid, 'SIGKILL')`

const cell = new Int32Array(new SharedArrayBuffer(8))
if (wanted?.startsWith('mid_')) new Worker(spinning, { eval: true, workerData: { cell, delay_us } }).unref()

/** Does synchronous `work`, and kills the process during it or right after it when due. */
export function during(point: string, work: () => void): void {
  if (isDue(point)) killWithin(work)
  else work()
}

/** Does `work` only in a process that is to be killed in it. */
export function checkpoint(work: () => void): void {
  if (isDue('mid_checkpoint')) killWithin(work)
}

function killWithin(work: () => void): void {
  Atomics.store(cell, 0, 1)
  Atomics.notify(cell, 0)
  work()
  Atomics.store(cell, 1, 1)
  writeSync(1, 'killed behind\n')
  end()
}

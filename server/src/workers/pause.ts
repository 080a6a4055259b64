/** Pauses of workers after a batch. One that indexes takes only a small share of the time of a busy process. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { worker_limits } from './limits.ts'

export interface TimedBatch {
  readonly count: number
  /** The duration of the work itself. */
  readonly spent_ms: number
}

/**
 * Does the work of a batch within its transaction, and measures it there: a busy process lets transactions wait for their turn, and
 * a pause in proportion to that would grow with the load until hardly anything is indexed.
 */
export async function timed(work: () => Promise<number>): Promise<TimedBatch> {
  const began = performance.now()
  const count = await work()
  return { count, spent_ms: performance.now() - began }
}

/** Waits, or ends at once when the worker stops. Never rejects. */
export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stop, ref: false }).catch(() => {})
}

/** Waits as long as the work took, and `index_busy_pauses` times as long if the process did other work meanwhile. Never rejects. */
export async function pauseAfterBatch(spent_ms: number, stop: AbortSignal): Promise<void> {
  const before = performance.eventLoopUtilization()
  await pause(spent_ms, stop)
  const { utilization } = performance.eventLoopUtilization(before)
  const { index_busy, index_busy_pauses } = worker_limits
  if (utilization > index_busy) await pause(spent_ms * index_busy_pauses, stop)
}

/** The pause after a batch of a worker that indexes: it takes only a small share of the time of a busy process. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { worker_limits } from './limits.ts'

/**
 * Waits as long as the batch took, and much longer if the process did other work meanwhile: longest after a full batch, after
 * which the index is behind a load of changes anyway. Never rejects.
 */
export async function pauseAfterBatch(spent_ms: number, isFull: boolean, stop: AbortSignal): Promise<void> {
  const wait = (ms: number) => sleep(ms, undefined, { signal: stop, ref: false }).catch(() => {})
  const before = performance.eventLoopUtilization()
  await wait(spent_ms)
  const { utilization } = performance.eventLoopUtilization(before)
  const { index_busy, index_busy_pauses, index_full_pauses } = worker_limits
  if (utilization > index_busy) await wait(spent_ms * (isFull ? index_full_pauses : index_busy_pauses))
}

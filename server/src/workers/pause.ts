/** The pause after a batch of a worker that indexes: it takes only a small share of the time of a busy process. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { worker_limits } from './limits.ts'

/** Waits as long as the batch took, and much longer if the process did other work meanwhile. Never rejects. */
export async function pauseAfterBatch(spent_ms: number, stop: AbortSignal): Promise<void> {
  const wait = (ms: number) => sleep(ms, undefined, { signal: stop, ref: false }).catch(() => {})
  const before = performance.eventLoopUtilization()
  await wait(spent_ms)
  const { utilization } = performance.eventLoopUtilization(before)
  if (utilization > worker_limits.index_busy) await wait(spent_ms * worker_limits.index_busy_pauses)
}

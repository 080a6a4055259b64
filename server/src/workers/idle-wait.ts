/** How long a worker waits after a run. */
import type { Dialect } from '../db/dialect.ts'
import { worker_limits } from './limits.ts'
import type { Worker } from './worker.ts'

/**
 * Milliseconds until the next run, after this number of runs in a row that found nothing. On PostgreSQL every commit of
 * events wakes the workers of all processes that follow the logs, so their looks only find what a lost notification left, and one process looks for what
 * becomes due by time (`scanner.ts`): for all others the wait doubles from the worker's period. SQLite does not report commits of other processes.
 */
export function waitAfter(
  worker: Pick<Worker, 'period_ms' | 'wakeUp'>,
  dialect: Dialect,
  idle_runs: number,
  isScanner: boolean,
): number {
  const { period_ms, wakeUp } = worker
  if (dialect !== 'postgres' || (wakeUp !== 'events' && isScanner)) return period_ms
  return Math.min(period_ms * 2 ** Math.max(0, idle_runs - 1), Math.max(period_ms, worker_limits.idle_wait_max_ms))
}

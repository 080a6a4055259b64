/** The register: everything that runs without a request, on one page. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../api/services.ts'
import { limits } from '../lib/limits.ts'
import { exportsWorker } from './exports.ts'
import { sweeps } from './sweeps.ts'
import { runWorker, type Worker } from './worker.ts'

export const workers: readonly Worker[] = [exportsWorker, ...sweeps]

export interface RunningWorkers {
  /** Lets the current runs end and starts no more. */
  close(): Promise<void>
}

/**
 * Runs every worker each period, until closed; the next wait begins when a run has ended, so that a worker never runs
 * twice at once in a process. A failed run is logged and tried again after the next period.
 */
export function startWorkers(services: Services): RunningWorkers {
  const owner = randomUUID()
  const stop = new AbortController()
  const running = new Set<Promise<unknown>>()
  const timers = new Map<string, NodeJS.Timeout>()
  const wait = (worker: Worker, wait_ms: number): void => {
    if (stop.signal.aborted) return
    const timer = setTimeout(() => {
      const run = runWorker(services, worker, owner, stop.signal)
        .catch((error) => {
          if (!stop.signal.aborted)
            services.log.error('a worker could not run', { worker: worker.name, error: String(error) })
        })
        .finally(() => {
          running.delete(run)
          wait(worker, worker.period_ms)
        })
      running.add(run)
    }, wait_ms)
    timer.unref()
    timers.set(worker.name, timer)
  }
  for (const worker of workers) wait(worker, Math.min(worker.period_ms, limits.worker_start_ms))
  return {
    async close() {
      stop.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      // A run that hangs gives its lease up by itself, later.
      const patience = sleep(limits.shutdown_grace_ms, undefined, { ref: false })
      await Promise.race([Promise.all(running), patience])
    },
  }
}

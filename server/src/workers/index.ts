/** The register: everything that runs without a request, on one page. */
import { randomUUID } from 'node:crypto'
import type { Services } from '../api/services.ts'
import { sweeps } from './sweeps.ts'
import { runWorker, type Worker } from './worker.ts'

export const workers: readonly Worker[] = [...sweeps]

export interface RunningWorkers {
  /** Lets the current runs end and starts no more. */
  close(): Promise<void>
}

/** Runs every worker each period, until closed. A failed run is logged and tried again at the next period. */
export function startWorkers(services: Services): RunningWorkers {
  const owner = randomUUID()
  const running = new Set<Promise<unknown>>()
  const timers = workers.map((worker) => {
    const run = (): void => {
      const one = runWorker(services, worker, owner)
        .catch((error) => services.log.error('a worker could not run', { worker: worker.name, error: String(error) }))
        .finally(() => running.delete(one))
      running.add(one)
    }
    const timer = setInterval(run, worker.period_ms)
    timer.unref()
    return timer
  })
  return {
    async close() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
    },
  }
}

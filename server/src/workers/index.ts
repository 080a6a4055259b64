/** The register: everything that runs without a request, on one page. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../api/services.ts'
import { limits } from '../lib/limits.ts'
import { automationClocksWorker } from './automation-clocks.ts'
import { automationEventsWorker } from './automation-events.ts'
import { automationRunsWorker } from './automation-runs.ts'
import { deliveriesWorker } from './deliveries.ts'
import { exportsWorker } from './exports.ts'
import { fanOutWorker } from './fan-out.ts'
import { sweeps } from './sweeps.ts'
import { type Report, runEverywhere, runWorker, type Worker } from './worker.ts'

export const workers: readonly Worker[] = [
  fanOutWorker,
  deliveriesWorker,
  exportsWorker,
  automationEventsWorker,
  automationClocksWorker,
  automationRunsWorker,
  ...sweeps,
]

export interface RunningWorkers {
  /** Lets the current runs end and starts no more. */
  close(): Promise<void>
}

/**
 * Runs every worker each period, until closed; the next wait begins when a run has ended, so that a worker never runs
 * twice at once in a process. A failed run is logged and tried again after the next period.
 */
export function startWorkers(services: Services): RunningWorkers {
  const stop = new AbortController()
  const owner = randomUUID()
  const started = workers.map((worker) => new Rounds(services, worker, owner, stop.signal))
  return {
    async close() {
      stop.abort()
      // A run that hangs gives its lease up by itself, later.
      const patience = sleep(limits.shutdown_grace_ms, undefined, { ref: false })
      await Promise.race([Promise.all(started.map((rounds) => rounds.end())), patience])
    },
  }
}

/** One worker's runs in this process. */
class Rounds {
  private readonly services: Services
  private readonly worker: Worker
  private readonly owner: string
  private readonly stop: AbortSignal
  private readonly report: Report = { started: 0, told: 0, done: 0, error: null }
  private readonly sleepOn: () => void
  private timer: NodeJS.Timeout | undefined
  private running: Promise<unknown> | null = null
  private woken = false

  constructor(services: Services, worker: Worker, owner: string, stop: AbortSignal) {
    this.services = services
    this.worker = worker
    this.owner = owner
    this.stop = stop
    const { wakeUp } = worker
    this.sleepOn = wakeUp === undefined ? () => {} : services.wakeUps.on(wakeUp, () => this.wake())
    this.wait(Math.min(worker.period_ms, limits.worker_start_ms))
  }

  private wake(): void {
    if (this.woken) return
    this.woken = true
    if (this.running === null) this.wait(limits.worker_wake_ms)
  }

  private wait(wait_ms: number): void {
    clearTimeout(this.timer)
    if (this.stop.aborted) return
    this.timer = setTimeout(() => this.go(), wait_ms)
    this.timer.unref()
  }

  private go(): void {
    const { services, worker, stop } = this
    this.woken = false
    const run = worker.everywhere
      ? runEverywhere(services, worker, this.report, stop)
      : runWorker(services, worker, this.owner, stop)
    this.running = run
      .catch((error) => {
        if (!stop.aborted) services.log.error('a worker could not run', { worker: worker.name, error: String(error) })
      })
      .finally(() => {
        this.running = null
        this.wait(this.woken ? limits.worker_wake_ms : worker.period_ms)
      })
  }

  async end(): Promise<void> {
    this.sleepOn()
    clearTimeout(this.timer)
    await this.running
    await this.worker.end?.(this.services)
  }
}

/** The register: everything that runs without a request, on one page. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../api/services.ts'
import { automationAuthoritiesWorker } from './automations/authorities.ts'
import { automationClocksWorker } from './automations/clocks.ts'
import { automationEventsWorker } from './automations/events.ts'
import { automationRunsWorker } from './automations/runs.ts'
import { boardSnapshotsWorker } from './board-snapshots.ts'
import { deliveriesWorker } from './deliveries/deliveries.ts'
import { fanOutWorker } from './deliveries/fan-out.ts'
import { exportsWorker } from './exports.ts'
import { waitAfter } from './idle-wait.ts'
import { inboxWorker } from './inbox.ts'
import { inboxClockWorker } from './inbox-clock.ts'
import { newLeaseOwner, releaseDeadLeases } from './leases.ts'
import { worker_limits } from './limits.ts'
import { mailWorker } from './mail.ts'
import { passwordResetsWorker } from './password-resets.ts'
import { filePreviews } from './previews.ts'
import { pushWorker } from './push.ts'
import { Scanner } from './scanner.ts'
import { searchIndexWorker } from './search-index.ts'
import { sweeps } from './sweeps/sweeps.ts'
import { textIndexWorker } from './text-index.ts'
import { type Report, runEverywhere, runWorker, type Worker } from './worker.ts'

export const workers: readonly Worker[] = [
  fanOutWorker,
  deliveriesWorker,
  exportsWorker,
  automationEventsWorker,
  automationClocksWorker,
  automationRunsWorker,
  automationAuthoritiesWorker,
  textIndexWorker,
  searchIndexWorker,
  inboxWorker,
  inboxClockWorker,
  boardSnapshotsWorker,
  mailWorker,
  pushWorker,
  passwordResetsWorker,
  filePreviews,
  ...sweeps,
]

export interface RunningWorkers {
  /** Waits for the current runs and starts none. */
  close(): Promise<void>
}

/**
 * Runs every worker each period until closed. A period begins when the previous run has ended, so a worker never runs
 * twice at once in a process. A failed run is logged and tried again after the next period. The leases of dead
 * processes are released at the start, and from then on at an interval.
 */
export function startWorkers(services: Services): RunningWorkers {
  const stop = new AbortController()
  const scanner = new Scanner(services)
  const released = takeOver(services, scanner, stop.signal)
  const started = workers.map((worker) => new Rounds(services, worker, scanner, stop.signal))
  return {
    async close() {
      stop.abort()
      // The lease of a run that hangs expires later.
      const timeout = sleep(worker_limits.shutdown_grace_ms, undefined, { ref: false })
      const ended = Promise.all([released, ...started.map((rounds) => rounds.end())]).then(() => scanner.end())
      await Promise.race([ended, timeout])
    },
  }
}

/**
 * Releases the leases of processes that have ended, and keeps that of the scanner, now and at an interval, until stopped.
 * Never rejects.
 */
async function takeOver(services: Services, scanner: Scanner, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    // A look for ended processes may take seconds.
    await keepScanner(services, scanner)
    if ((await takeOverOnce(services)) > 0) await keepScanner(services, scanner)
    await sleep(worker_limits.dead_leases_period_ms, undefined, { signal: stop, ref: false }).catch(() => {})
  }
}

async function keepScanner(services: Services, scanner: Scanner): Promise<void> {
  try {
    await scanner.keep()
  } catch (error) {
    services.log.warn('the lease to look for due work could not be renewed', { error: String(error) })
  }
}

/** Their work continues at once. Returns the number of leases. Never rejects. */
async function takeOverOnce(services: Services): Promise<number> {
  try {
    const released = await releaseDeadLeases(services)
    if (released === 0) return 0
    services.log.info('took over from processes that had ended', { leases: released })
    services.wakeUps.call('deliveries')
    services.wakeUps.call('automations')
    return released
  } catch (error) {
    services.log.warn('the leases of processes that had ended could not be released', { error: String(error) })
    return 0
  }
}

function wakeWait({ wake_ms = worker_limits.worker_wake_ms }: Worker): number {
  return wake_ms
}

/** The repeated runs of one worker in this process. */
class Rounds {
  private readonly services: Services
  private readonly worker: Worker
  private readonly scanner: Scanner
  private readonly stop: AbortSignal
  private readonly report: Report = { started: 0, stored: 0, done: 0, error: null }
  private readonly unsubscribe: () => void
  private timer: NodeJS.Timeout | undefined
  private running: Promise<unknown> | null = null
  private woken = false
  /** Runs in a row that found nothing. */
  private idle = 0
  private owner: string | null = null

  constructor(services: Services, worker: Worker, scanner: Scanner, stop: AbortSignal) {
    this.services = services
    this.worker = worker
    this.scanner = scanner
    this.stop = stop
    const { wakeUp } = worker
    this.unsubscribe = wakeUp === undefined ? () => {} : services.wakeUps.on(wakeUp, () => this.wake())
    this.wait(Math.min(worker.period_ms, worker_limits.worker_start_ms))
  }

  private wake(): void {
    if (this.woken) return
    this.woken = true
    if (this.running === null) this.wait(wakeWait(this.worker))
  }

  private wait(wait_ms: number): void {
    clearTimeout(this.timer)
    if (this.stop.aborted) return
    this.timer = setTimeout(() => this.start(), wait_ms)
    this.timer.unref()
  }

  private async runOnce(): Promise<number | null> {
    const { services, worker, stop } = this
    if (worker.everywhere) return await runEverywhere(services, worker, this.report, stop)
    this.owner ??= newLeaseOwner(services.store)
    return await runWorker(services, worker, this.owner, stop)
  }

  private start(): void {
    const { services, worker, scanner, stop } = this
    this.woken = false
    // Another process runs it. This costs no statement.
    if (!worker.everywhere && !scanner.isHere) {
      this.wait(worker.period_ms)
      return
    }
    this.running = this.runOnce()
      .then((done) => {
        this.idle = done === 0 ? this.idle + 1 : 0
      })
      .catch((error) => {
        this.idle = 0
        if (!stop.aborted) services.log.error('a worker could not run', { worker: worker.name, error: String(error) })
      })
      .finally(() => {
        this.running = null
        this.wait(this.woken ? wakeWait(worker) : waitAfter(worker, services.store.dialect, this.idle, scanner.isHere))
      })
  }

  async end(): Promise<void> {
    this.unsubscribe()
    clearTimeout(this.timer)
    await this.running
    await this.worker.end?.(this.services)
  }
}

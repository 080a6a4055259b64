/**
 * Claims due runs for this process. A waiting run is released and needs no process. A run with an outside call in
 * progress does not count against the limit of claimed runs. The leases of a dead process expire, and other processes
 * continue from the last committed step (contract/16#durability).
 */
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { giveUp } from '../../resources/automation_runs/steps/advance.ts'
import { claimRun, type DueRun, dueRuns } from '../../resources/automation_runs/steps/claim.ts'
import { loadState } from '../../resources/automation_runs/steps/run-state.ts'
import { LeasedQueue } from '../leased-queue.ts'
import { newLeaseOwner } from '../leases.ts'
import { Slots } from '../slots.ts'
import { HeldRun, logRunError } from './held-run.ts'

export class Engine {
  private readonly services: Services
  private readonly slots = new Slots(automation_limits.automation_calls_max)
  private readonly queue: LeasedQueue<HeldRun>
  /** Whether the last query filled all free places. */
  private more = false

  constructor(services: Services) {
    this.services = services
    this.queue = new LeasedQueue({
      renewal_ms: automation_limits.automation_renewal_ms,
      claimDue: () => this.claimDue(),
      renew: async (runs) => void (await Promise.all(runs.map((run) => run.renewLease()))),
      onFree: () => this.refill(),
    })
  }

  /** Claims due runs within the limits and starts them. Returns how many were due. */
  async claim(): Promise<number> {
    return await this.queue.claim()
  }

  private async claimDue(): Promise<number> {
    const room = this.room()
    if (room <= 0) return 0
    const { store, clock } = this.services
    const found = await store.reader('system').all(dueRuns, { now: clock.now(), count: room })
    this.more = found.length === room
    const due = found.filter((run) => !this.queue.has(run))
    await Promise.all(due.map((run) => this.claimOne(run)))
    return due.length
  }

  private room(): number {
    const runs = this.queue.items
    const calling = runs.filter((run) => run.calling).length
    const { automation_runs_held_max: held_max, automation_calls_max: calls_max } = automation_limits
    return Math.min(held_max - (runs.length - calling), held_max + calls_max - runs.length)
  }

  private async claimOne(due: DueRun): Promise<void> {
    const { services } = this
    try {
      const run = await claimRun(services, due, newLeaseOwner(services.store))
      if (run === null) return
      const state = await loadState(services.store.reader('system'), run).catch(async (error) => {
        await giveUp(services, run, error)
        return null
      })
      if (state !== null) this.queue.open(run, new HeldRun(services, this.slots, state))
    } catch (error) {
      logRunError(services, due.id, error)
    }
  }

  /** Claims further runs: some may have waited for a free place or for the slot of a run that ended. */
  private refill(): void {
    if (!this.more) this.services.wakeUps.call('automations')
    else if (!this.queue.isClaiming && this.room() >= automation_limits.automation_runs_held_max / 2) {
      this.more = false
      void this.claim().catch((error) => logRunError(this.services, '', error))
    }
  }

  /** Resolves when no run is claimed or being claimed. */
  async idle(): Promise<void> {
    await this.queue.idle()
  }

  /** Starts no further steps, waits for those in progress, and releases the runs. */
  async end(): Promise<void> {
    await this.queue.end()
  }
}

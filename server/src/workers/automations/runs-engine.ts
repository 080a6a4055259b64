/**
 * The runs that this process has claimed. Each advances step by step until it ends or waits; a waiting run is released
 * and needs no process. A run with an outside call in progress keeps its lease, which is renewed, and does not count
 * against the limit of claimed runs. The leases of a dead process expire, and other processes continue from the last
 * committed step (contract/16#durability).
 */
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { StoreUnavailable } from '../../db/store.ts'
import { backOff } from '../../lib/back-off.ts'
import { findRun } from '../../resources/automation_runs/queries.ts'
import { advance, giveUp } from '../../resources/automation_runs/steps/advance.ts'
import { callAi } from '../../resources/automation_runs/steps/ai.ts'
import { claimRun, type DueRun, dueRuns, releaseRun, renewLease } from '../../resources/automation_runs/steps/claim.ts'
import type { CallResult } from '../../resources/automation_runs/steps/call-result.ts'
import { callHttp } from '../../resources/automation_runs/steps/http.ts'
import type { OutsideCall } from '../../resources/automation_runs/steps/continue.ts'
import { settleCall, unsentCall } from '../../resources/automation_runs/steps/outside.ts'
import { loadState, type RunState } from '../../resources/automation_runs/steps/run-state.ts'
import { newLeaseOwner } from '../leases.ts'

/** A claimed run with its present state. */
interface Held {
  state: RunState
  calling: boolean
}

const nameOf = ({ realm, id }: Pick<DueRun, 'realm' | 'id'>): string => `${realm} ${id}`

export class Engine {
  private readonly services: Services
  private readonly held = new Map<string, Held>()
  private readonly claiming = new Set<string>()
  private readonly driving = new Set<Promise<void>>()
  private readonly waiting: (() => void)[] = []
  private callsUnderWay = 0
  private renewal: NodeJS.Timeout | null = null
  private taking: Promise<number> | null = null
  /** Whether the last query filled all free places. */
  private more = false
  private stopped = false

  constructor(services: Services) {
    this.services = services
  }

  /** Claims due runs within the limits and starts them. Returns how many were due. */
  async claimRuns(): Promise<number> {
    await this.taking?.catch(() => 0)
    this.taking ??= this.claimDue().finally(() => {
      this.taking = null
    })
    return await this.taking
  }

  private async claimDue(): Promise<number> {
    const room = this.room()
    if (this.stopped || room <= 0) return 0
    const { store, clock } = this.services
    const found = await store.reader('system').all(dueRuns, { now: clock.now(), count: room })
    this.more = found.length === room
    const due = found.filter((run) => !this.held.has(nameOf(run)) && !this.claiming.has(nameOf(run)))
    await Promise.all(due.map((run) => this.claim(run)))
    return due.length
  }

  private room(): number {
    const calling = [...this.held.values()].filter((held) => held.calling).length
    const all = this.held.size + this.claiming.size
    const { automation_runs_held_max: held_max, automation_calls_max: calls_max } = automation_limits
    return Math.min(held_max - (all - calling), held_max + calls_max - all)
  }

  private async claim(due: DueRun): Promise<void> {
    const name = nameOf(due)
    this.claiming.add(name)
    try {
      const run = await claimRun(this.services, due, newLeaseOwner(this.services.store))
      if (run === null) return
      const state = await loadState(this.services.store.reader('system'), run).catch(async (error) => {
        await giveUp(this.services, run, error)
        return null
      })
      if (state !== null) this.open(name, state)
    } catch (error) {
      this.logError(due.id, error)
    } finally {
      this.claiming.delete(name)
    }
  }

  private open(name: string, state: RunState): void {
    const held = { state, calling: false }
    this.held.set(name, held)
    this.renewal ??= setInterval(() => void this.renew(), automation_limits.automation_renewal_ms)
    const driven = this.drive(held)
      .catch((error) => this.logError(state.run.id, error))
      .finally(() => {
        this.held.delete(name)
        this.driving.delete(driven)
        if (this.held.size === 0 && this.renewal !== null) {
          clearInterval(this.renewal)
          this.renewal = null
        }
        this.refill()
      })
    this.driving.add(driven)
  }

  /** Claims further runs: some may have waited for a free place or for the slot of a run that ended. */
  private refill(): void {
    if (this.stopped) return
    if (!this.more) this.services.wakeUps.call('automations')
    else if (this.taking === null && this.room() >= automation_limits.automation_runs_held_max / 2) {
      this.more = false
      void this.claimRuns().catch((error) => this.logError('', error))
    }
  }

  /** Advances a run until it ends, waits or is lost. */
  private async drive(held: Held): Promise<void> {
    for (;;) {
      if (this.stopped) return await this.retryStore(() => releaseRun(this.services, held.state.run))
      const made = await this.retryStore(() => advance(this.services, held.state))
      if (made.next === 'stale') {
        if (!(await this.reload(held))) return
        const call = await this.retryStore(() => unsentCall(this.services.store.reader('system'), held.state))
        if (call !== null && !(await this.call(held, call))) return
      } else if (made.next === 'call') {
        held.state = made.state
        if (!(await this.call(held, made.call))) return
      } else if (made.next === 'step') held.state = made.state
      else return
    }
  }

  /** Makes a call and records its result. Returns whether the run is still held. */
  private async call(held: Held, call: OutsideCall): Promise<boolean> {
    held.calling = true
    try {
      const ended = await this.slot()
      const result = await this.send(held.state, call).finally(ended)
      const settled = await this.retryStore(() => settleCall(this.services, held.state, call, result))
      if (settled.next === 'stale') return await this.reload(held)
      if (settled.next !== 'step') return false
      held.state = settled.state
      return true
    } finally {
      held.calling = false
    }
  }

  private async send({ run }: RunState, call: OutsideCall): Promise<CallResult> {
    const { inputs } = call
    if (inputs.type === 'ai.step') return await callAi(this.services, call, inputs.config)
    return await this.retryStore(() => callHttp(this.services, run.realm, call, inputs.config))
  }

  /** Reads a run again after a commit whose answer was lost. Returns whether the run is still held. */
  private async reload(held: Held): Promise<boolean> {
    const { run } = held.state
    const reader = this.services.store.reader('system')
    const row = await findRun(reader, run)
    if (row === undefined || row.epoch !== run.epoch || row.lease_owner !== run.lease_owner) return false
    held.state = await loadState(reader, row)
    return true
  }

  /** Retries while the store is unavailable and the lease may last; after that, another process continues the run. */
  private async retryStore<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + automation_limits.automation_store_patience_ms
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || performance.now() > until) throw error
        await backOff(attempt, automation_limits.automation_store_pause_ms)
      }
    }
  }

  /** Waits for one of the process's call slots. The returned function releases it. */
  private async slot(): Promise<() => void> {
    if (this.callsUnderWay >= automation_limits.automation_calls_max)
      await new Promise<void>((go) => this.waiting.push(go))
    else this.callsUnderWay++
    return () => {
      const next = this.waiting.shift()
      if (next === undefined) this.callsUnderWay--
      else next()
    }
  }

  private async renew(): Promise<void> {
    const calling = [...this.held.values()].filter((held) => held.calling)
    await Promise.all(
      calling.map(({ state }) =>
        renewLease(this.services, state.run).catch((error) => this.logError(state.run.id, error)),
      ),
    )
  }

  private logError(run: string, error: unknown): void {
    const detail = error instanceof Error ? error.stack : String(error)
    this.services.log.error('an automation run was let go of', { run, error: detail })
  }

  /** Resolves when no run is claimed or being claimed. */
  async idle(): Promise<void> {
    while (this.driving.size > 0 || this.taking !== null) {
      await this.taking?.catch(() => 0)
      await Promise.all(this.driving)
    }
  }

  /** Starts no further steps, waits for those in progress, and releases the runs. */
  async end(): Promise<void> {
    this.stopped = true
    await this.idle()
  }
}

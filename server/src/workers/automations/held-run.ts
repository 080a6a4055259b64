/**
 * A run while this process holds its lease. It advances step by step until it ends or waits. While an outside call is in
 * progress the lease is renewed; between steps each commit renews it.
 */
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { findRun } from '../../resources/automation_runs/queries.ts'
import { advance } from '../../resources/automation_runs/steps/advance.ts'
import { callAi } from '../../resources/automation_runs/steps/ai.ts'
import type { CallResult } from '../../resources/automation_runs/steps/call-result.ts'
import { callChat } from '../../resources/automation_runs/steps/chat.ts'
import { releaseRun, renewLease } from '../../resources/automation_runs/steps/claim.ts'
import type { OutsideCall } from '../../resources/automation_runs/steps/continue.ts'
import { callHttp } from '../../resources/automation_runs/steps/http.ts'
import { settleCall, unsentCall } from '../../resources/automation_runs/steps/outside.ts'
import { loadState, type RunState } from '../../resources/automation_runs/steps/run-state.ts'
import type { LeasedItem } from '../leased-queue.ts'
import { retryUnavailable } from '../retry-unavailable.ts'
import type { Slots } from '../slots.ts'

export class HeldRun implements LeasedItem {
  /** Whether an outside call is in progress. */
  calling = false
  private readonly services: Services
  private readonly slots: Slots
  private state: RunState
  private stopped = false

  /** `slots` bounds the outside calls of the process. */
  constructor(services: Services, slots: Slots, state: RunState) {
    this.services = services
    this.slots = slots
    this.state = state
  }

  /** Ends after the step in progress. */
  stop(): void {
    this.stopped = true
  }

  /** Never rejects. After an error the lease expires, and a process continues from the last committed step. */
  async run(): Promise<void> {
    const { id } = this.state.run
    await this.advanceAll().catch((error) => logRunError(this.services, id, error))
  }

  /** Renews the lease during a call. Never rejects. */
  async renewLease(): Promise<void> {
    if (!this.calling) return
    const { run } = this.state
    await renewLease(this.services, run).catch((error) => logRunError(this.services, run.id, error))
  }

  /** Advances the run until it ends, waits or is lost. */
  private async advanceAll(): Promise<void> {
    for (;;) {
      if (this.stopped) return await patiently(() => releaseRun(this.services, this.state.run))
      const advanced = await patiently(() => advance(this.services, this.state))
      if (advanced.next === 'stale') {
        if (!(await this.reload())) return
        const call = await patiently(() => unsentCall(this.services.store.reader('system'), this.state))
        if (call !== null && !(await this.call(call))) return
      } else if (advanced.next === 'call') {
        this.state = advanced.state
        if (!(await this.call(advanced.call))) return
      } else if (advanced.next === 'step') this.state = advanced.state
      else return
    }
  }

  /** Makes a call and records its result. Returns whether the run is still held. */
  private async call(call: OutsideCall): Promise<boolean> {
    this.calling = true
    try {
      const release = await this.slots.take()
      const result = await this.send(call).finally(release)
      const settled = await patiently(() => settleCall(this.services, this.state, call, result))
      if (settled.next === 'stale') return await this.reload()
      if (settled.next !== 'step') return false
      this.state = settled.state
      return true
    } finally {
      this.calling = false
    }
  }

  private async send(call: OutsideCall): Promise<CallResult> {
    const { inputs } = call
    if (inputs.type === 'ai.step') return await callAi(this.services, call, inputs.config)
    const { realm } = this.state.run
    if (inputs.type === 'chat.post') return await patiently(() => callChat(this.services, realm, call, inputs.config))
    return await patiently(() => callHttp(this.services, realm, call, inputs.config))
  }

  /** Reads the run again after a commit whose answer was lost. Returns whether the run is still held. */
  private async reload(): Promise<boolean> {
    const { run } = this.state
    const reader = this.services.store.reader('system')
    const row = await findRun(reader, run)
    if (row === undefined || row.epoch !== run.epoch || row.lease_owner !== run.lease_owner) return false
    this.state = await loadState(reader, row)
    return true
  }
}

/** Retries while the store is unavailable and the lease may last; after that, another process continues the run. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  return await retryUnavailable(attempt, {
    patience_ms: automation_limits.automation_store_patience_ms,
    pause_ms: automation_limits.automation_store_pause_ms,
  })
}

export function logRunError({ log }: Pick<Services, 'log'>, run: string, error: unknown): void {
  const detail = error instanceof Error ? error.stack : String(error)
  log.error('an automation run was interrupted', { run, error: detail })
}

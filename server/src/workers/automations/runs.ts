/** Executes automation runs. The worker runs in every process and claims each run separately. */
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { onePerProcess } from '../leased-queue.ts'
import type { Worker } from '../worker.ts'
import { Engine } from './runs-engine.ts'

const engineOf = onePerProcess((services) => new Engine(services))

export const automationRunsWorker: Worker = {
  name: 'automation_runs',
  does: 'Executes automation runs step by step.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: automation_limits.automation_runs_held_max,
  everywhere: true,
  wakeUp: 'automations',
  run: (services) => engineOf(services).claim(),
  end: (services) => engineOf(services).end(),
}

/** Executes the due runs until each has ended or waits. Returns 0 if none was due. */
export async function drainRuns(services: Services): Promise<number> {
  const engine = engineOf(services)
  for (let all = 0; ; ) {
    await engine.idle()
    const taken = await engine.claim()
    all += taken
    if (taken === 0) return all
  }
}

/** Executes automation runs. The worker runs in every process and claims each run separately. */
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { Worker } from '../worker.ts'
import { Engine } from './runs-engine.ts'

/** One engine per process: claimed runs outlive the pass that claimed them. */
const engines = new WeakMap<Services, Engine>()

function engineOf(services: Services): Engine {
  let engine = engines.get(services)
  if (engine === undefined) {
    engine = new Engine(services)
    engines.set(services, engine)
  }
  return engine
}

export const automationRunsWorker: Worker = {
  name: 'automation_runs',
  does: 'Carries automation runs out, step by step.',
  period_ms: 1_000,
  lease_ms: 30_000,
  batch_max: automation_limits.automation_runs_held_max,
  everywhere: true,
  wakeUp: 'automations',
  run: (services) => engineOf(services).claimRuns(),
  end: (services) => engineOf(services).end(),
}

/** Executes the due runs until each has ended or waits. Returns 0 if none was due. */
export async function drainRuns(services: Services): Promise<number> {
  const engine = engineOf(services)
  for (let all = 0; ; ) {
    await engine.idle()
    const taken = await engine.claimRuns()
    all += taken
    if (taken === 0) return all
  }
}

/** Carries automation runs out. Runs in every process; what it does is claimed run by run. */
import type { Services } from '../api/services.ts'
import { limits } from '../lib/limits.ts'
import { Engine } from './automation-runs-engine.ts'
import type { Worker } from './worker.ts'

/** One for the services of a process: the runs in hand outlive the look that took them. */
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
  batch_max: limits.automation_runs_held_max,
  everywhere: true,
  wakeUp: 'automations',
  run: (services) => engineOf(services).takeOn(),
  end: (services) => engineOf(services).end(),
}

/** Carries out what is due now until it has ended or waits. Returns 0 when nothing was due. */
export async function drainRuns(services: Services): Promise<number> {
  const engine = engineOf(services)
  for (let all = 0; ; ) {
    await engine.idle()
    const taken = await engine.takeOn()
    all += taken
    if (taken === 0) return all
  }
}

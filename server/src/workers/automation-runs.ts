/** Carries automation runs out. Runs in every process; what it does is claimed run by run. */
import type { Services } from '../api/services.ts'
import { limits } from '../lib/limits.ts'
import { automationClocksWorker } from './automation-clocks.ts'
import { automationEventsWorker } from './automation-events.ts'
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

const never_stopped = new AbortController().signal

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

/** Begins and carries out all that is to be done at the present time: what tests do instead of waiting. */
export async function drainAutomations(services: Services): Promise<void> {
  for (;;) {
    let begun = 0
    for (const worker of [automationEventsWorker, automationClocksWorker]) {
      begun += await worker.run(services, worker.batch_max, never_stopped)
    }
    if (begun + (await drainRuns(services)) === 0) return
  }
}

/** The two workers that begin and carry out automation runs. The others stay off, so that nothing else changes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '../../src/api/services.ts'
import { automationEventsWorker } from '../../src/workers/automations/events.ts'
import { automationRunsWorker } from '../../src/workers/automations/runs.ts'

const pause_ms = 200

/** Runs them until the returned function is called. */
export function startAutomations(services: Services): () => Promise<void> {
  const stop = new AbortController()
  const rounds = (async () => {
    while (!stop.signal.aborted) {
      for (const worker of [automationEventsWorker, automationRunsWorker]) {
        await worker.run(services, worker.batch_max, stop.signal)
      }
      await sleep(pause_ms)
    }
  })()
  return async () => {
    stop.abort()
    await rounds
  }
}

/**
 * Indexes the tasks' texts. Lists do not wait for it: what it has not read yet they find through the event log. After each
 * batch it pauses, for much longer while the process is busy, so that it takes only a small share of its time.
 */
import { performance } from 'node:perf_hooks'
import type { Services } from '../api/services.ts'
import { indexNextTexts, realmsToIndex } from '../resources/tasks/shared/text-index.ts'
import { worker_limits } from './limits.ts'
import { pauseAfterBatch, type TimedBatch, timed } from './pause.ts'
import type { Worker } from './worker.ts'

export const textIndexWorker: Worker = {
  name: 'text_index',
  does: 'Indexes the texts of tasks.',
  period_ms: 2000,
  lease_ms: 60_000,
  batch_max: worker_limits.text_index_rows_max,
  async run(services, batch_max, stop) {
    const until = performance.now() + worker_limits.text_index_run_ms
    let done = 0
    while (!stop.aborted && performance.now() < until) {
      const realms = await services.store
        .reader('system')
        .all(realmsToIndex, { count: worker_limits.text_index_realms_max })
      if (realms.length === 0) break
      for (const { realm } of realms) {
        if (stop.aborted) return done
        const { count, spent_ms } = await indexOne(services, realm, batch_max)
        done += count
        await pauseAfterBatch(spent_ms, stop)
      }
    }
    // Each run is bounded by time; the next one goes on.
    return Math.min(done, batch_max - 1)
  },
}

async function indexOne({ store, clock }: Services, realm: number, count: number): Promise<TimedBatch> {
  return await store.write('system', (tx) => timed(() => indexNextTexts(tx, realm, count, clock.now())))
}

/**
 * Indexes the tasks' texts. Lists do not wait for it: what it has not read yet they find through the event log. After each
 * batch it pauses, for much longer while the process is busy, so that it takes only a small share of its time.
 */
import { performance } from 'node:perf_hooks'
import { indexTextsAcross, realmsToIndex } from '../resources/tasks/shared/text-index.ts'
import { indexTogether } from './index-together.ts'
import { worker_limits } from './limits.ts'
import type { Worker } from './worker.ts'

export const textIndexWorker: Worker = {
  name: 'text_index',
  does: 'Indexes the texts of tasks.',
  period_ms: 2000,
  lease_ms: 60_000,
  batch_max: worker_limits.text_index_rows_max,
  async run(services, batch_max, stop) {
    const { store } = services
    const indexing = { worker: 'text_index', count: batch_max, index: indexTextsAcross }
    const until = performance.now() + worker_limits.text_index_run_ms
    let done = 0
    while (!stop.aborted && performance.now() < until) {
      const realms = await store.reader('system').all(realmsToIndex, { count: worker_limits.text_index_realms_max })
      if (realms.length === 0) break
      done += await indexTogether(services, realms, indexing, stop)
    }
    // Each run is bounded by time; the next one goes on.
    return Math.min(done, batch_max - 1)
  },
}

/**
 * Indexes objects for search: what was committed is found within a second while the process is not busy. It is woken by
 * commits and pauses after each batch, so that it takes only a small share of the time of a busy process.
 */
import { performance } from 'node:perf_hooks'
import { indexAcross, realmsBehind } from '../search/follow.ts'
import { search_limits } from '../search/limits.ts'
import { indexTogether } from './index-together.ts'
import type { Worker } from './worker.ts'

export const searchIndexWorker: Worker = {
  name: 'search_index',
  does: 'Indexes objects for search.',
  period_ms: 500,
  lease_ms: 60_000,
  batch_max: search_limits.index_rows_max,
  everywhere: true,
  wakeUp: 'events',
  async run(services, batch_max, stop) {
    const { store } = services
    const indexing = { worker: 'search_index', count: batch_max, index: indexAcross }
    const until = performance.now() + search_limits.index_run_ms
    let done = 0
    while (!stop.aborted && performance.now() < until) {
      const realms = await store.reader('system').all(realmsBehind, { count: search_limits.index_realms_max })
      const indexed = await indexTogether(services, realms, indexing, stop)
      done += indexed
      // Nothing is behind, or another process has the turn.
      if (indexed === 0) break
    }
    // Each run is bounded by time; the next one goes on.
    return Math.min(done, batch_max - 1)
  },
}

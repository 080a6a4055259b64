import type { Services } from '../../api/services.ts'
import type { Removal } from '../../db/delete-old.ts'
import type { Bound, Store } from '../../db/store.ts'
import type { Worker } from '../worker.ts'

const write = (store: Store, { query, values }: Bound) =>
  // A bound statement pairs a query with its own values.
  store.write('system', async (tx) => await tx.run(query, values as never))

/** Removes rows older than `kept_ms` in bounded batches; `removed` is a query with `before` and `count`. */
export function sweepByAge(
  name: string,
  does: string,
  removed: Removal,
  kept_ms: number,
  remove: (store: Store, removal: Bound) => Promise<number> = write,
): Worker {
  return {
    name,
    does,
    period_ms: 60_000,
    lease_ms: 60_000,
    batch_max: 1_000,
    run: ({ store, clock }: Services, count) =>
      remove(store, { query: removed, values: { before: clock.now() - kept_ms, count } }),
  }
}

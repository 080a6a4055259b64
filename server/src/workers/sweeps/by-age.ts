import type { Services } from '../../api/services.ts'
import type { Store } from '../../db/store.ts'
import type { Removal } from '../../db/tables/delete-old.ts'
import type { Worker } from '../worker.ts'

interface BoundRemoval {
  readonly query: Removal
  readonly values: { readonly before: number; readonly count: number }
}

const write = (store: Store, { query, values }: BoundRemoval) =>
  store.write('system', async (tx) => await tx.run(query, values))

/** Removes rows older than `kept_ms` in bounded batches; `removed` is a query with `before` and `count`. */
export function sweepByAge(
  name: string,
  does: string,
  removed: Removal,
  kept_ms: number,
  remove: (store: Store, removal: BoundRemoval) => Promise<number> = write,
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

/** Retention: what has outlived its time is removed, in bounded batches. */
import type { Services } from '../api/services.ts'
import { deleteOld } from '../db/delete-old.ts'
import type { Query } from '../db/query.ts'
import { limits } from '../lib/limits.ts'
import { removeAssets } from '../resources/board_items/queries-publish.ts'
import type { Worker } from './worker.ts'

function sweep(name: string, does: string, removed: Query<unknown>, kept_ms: number): Worker {
  return {
    name,
    does,
    period_ms: 60_000,
    lease_ms: 60_000,
    batch_max: 1_000,
    run: ({ store, clock }: Services, count) =>
      store.write('system', async (tx) => await tx.run(removed, { before: clock.now() - kept_ms, count })),
  }
}

export const sweeps: readonly Worker[] = [
  sweep(
    'idempotency_sweep',
    'Removes the answers of idempotency keys older than a day.',
    deleteOld('idempotency', 'created', ['realm', 'credential', 'key']),
    limits.idempotency_window_ms,
  ),
  sweep(
    'request_log_sweep',
    'Removes request log entries that are long past their seven days.',
    deleteOld('request_logs', 'created', ['realm', 'id']),
    limits.request_log_tombstone_ms,
  ),
  sweep(
    'credit_window_sweep',
    'Removes credit windows that ended a week ago.',
    deleteOld('credit_windows', 'starts_at', ['organization', 'subject', 'kind', 'starts_at']),
    limits.credit_window_kept_ms,
  ),
  sweep(
    'board_item_sweep',
    'Removes what board items were in snapshots that nobody can walk any more.',
    deleteOld('board_items', 'superseded_at', ['realm', 'board', 'id', 'since_revision']),
    limits.board_superseded_kept_ms,
  ),
  sweep(
    'board_snapshot_sweep',
    'Removes the records of superseded board snapshots.',
    deleteOld('board_snapshots', 'superseded_at', ['realm', 'board', 'revision']),
    limits.board_superseded_kept_ms,
  ),
  sweep(
    'board_asset_sweep',
    'Removes images that no board item shows any more.',
    removeAssets,
    limits.board_superseded_kept_ms,
  ),
]

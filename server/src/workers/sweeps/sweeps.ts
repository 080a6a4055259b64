/**
 * Retention: expired rows are removed in bounded batches. Rows that requests may still read are removed only when they
 * have expired by the clock of every process (`clocks_apart_ms`).
 */

import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { deleteOld } from '../../db/tables/delete-old.ts'
import { mail_limits } from '../../mail/limits.ts'
import { inbox_limits } from '../../notifications/limits.ts'
import { worker_limits } from '../limits.ts'
import type { Worker } from '../worker.ts'
import { automationSweeps } from './automations.ts'
import { boardAssetSweep } from './board-assets.ts'
import { boardGuestSweep } from './board-guests.ts'
import { sweepByAge } from './by-age.ts'
import { exportSweep } from './exports.ts'
import { fileContentSweep, fileOrphanSweep } from './files.ts'
import { scrubWorker } from './scrub.ts'
import { sessionSweep } from './sessions.ts'

const deletedEndpoint = query((db, p: Placeholder<{ before: number }>) =>
  db
    .selectFrom('webhook_endpoints')
    .select(['realm', 'id'])
    .where('deleted_at', '<=', p('before'))
    .orderBy('deleted_at')
    .limit(1),
)

const deliveriesOf = query((db, p: Placeholder<{ realm: number; endpoint: string; count: number }>) =>
  db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('endpoint', '=', p('endpoint'))
    .orderBy('id')
    .limit(p('count')),
)

const removeAttempts = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .deleteFrom('webhook_attempts')
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'delivery', p('ids'))),
)

const removeDeliveries = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .deleteFrom('webhook_deliveries')
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const removeEndpoint = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.deleteFrom('webhook_endpoints').where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const forgetSecrets = query((db, p: Placeholder<{ now: number }>) =>
  db
    .updateTable('webhook_endpoints')
    .set({ previous_secret: null, previous_secret_expires_at: null })
    .where('previous_secret_expires_at', '<=', p('now')),
)

/** Removes what a deleted endpoint leaves: its deliveries, and with the last batch its row. */
const deletedEndpoints: Worker = {
  name: 'webhook_sweep',
  does: 'Removes the deliveries of deleted webhook endpoints, and signing secrets that no longer sign.',
  period_ms: 60_000,
  lease_ms: 60_000,
  batch_max: 1_000,
  run: ({ store, clock }: Services, count) =>
    store.write('system', async (tx) => {
      const now = clock.now()
      tx.write(forgetSecrets, { now: now - limits.clocks_apart_ms })
      // By then, an attempt that was in progress at the deletion has been recorded or is lost.
      const endpoint = await tx.first(deletedEndpoint, { before: now - worker_limits.webhook_lease_ms })
      if (endpoint === undefined) return 0
      const { realm, id } = endpoint
      const rows = await tx.all(deliveriesOf, { realm, endpoint: id, count })
      const ids = JSON.stringify(rows.map((row) => row.id))
      tx.write(removeAttempts, { realm, ids })
      tx.write(removeDeliveries, { realm, ids })
      if (rows.length < count) tx.write(removeEndpoint, { realm, id })
      return count
    }),
}

export const sweeps: readonly Worker[] = [
  exportSweep,
  sweepByAge(
    'idempotency_sweep',
    'Removes the answers of idempotency keys older than a day.',
    deleteOld('idempotency', 'created', ['realm', 'credential', 'key']),
    limits.idempotency_window_ms + limits.clocks_apart_ms,
  ),
  sweepByAge(
    'request_log_sweep',
    'Removes request log entries that are long past their seven days.',
    deleteOld('request_logs', 'created', ['realm', 'id']),
    worker_limits.request_log_tombstone_ms,
    (store, removal) => store.writeLog([removal]),
  ),
  sweepByAge(
    'credit_window_sweep',
    'Removes credit windows that ended a week ago.',
    deleteOld('credit_windows', 'starts_at', ['organization', 'subject', 'kind', 'starts_at']),
    worker_limits.credit_window_kept_ms,
  ),
  sweepByAge(
    'board_item_sweep',
    'Removes board items of superseded snapshots after lists of them have expired.',
    deleteOld('board_items', 'superseded_at', ['realm', 'board', 'id', 'since_revision']),
    limits.board_superseded_kept_ms,
  ),
  sweepByAge(
    'board_snapshot_sweep',
    'Removes the records of superseded board snapshots.',
    deleteOld('board_snapshots', 'superseded_at', ['realm', 'board', 'revision']),
    limits.board_superseded_kept_ms,
  ),
  boardGuestSweep,
  boardAssetSweep,
  sweepByAge(
    'webhook_attempt_sweep',
    'Removes delivery attempts of events that are no longer retained.',
    deleteOld('webhook_attempts', 'event_created', ['realm', 'delivery', 'number']),
    limits.event_retention_ms + limits.clocks_apart_ms,
  ),
  sweepByAge(
    'webhook_delivery_sweep',
    'Removes deliveries of events that are no longer retained.',
    deleteOld('webhook_deliveries', 'event_created', ['realm', 'id']),
    limits.event_retention_ms + limits.clocks_apart_ms,
  ),
  sweepByAge(
    'event_sweep',
    'Removes events that are no longer retained.',
    deleteOld('events', 'created', ['realm', 'sequence']),
    limits.event_retention_ms + limits.clocks_apart_ms,
  ),
  sweepByAge(
    'inbox_sweep',
    'Removes entries of inboxes that are older than 180 days.',
    deleteOld('notifications', 'created', ['realm', 'id']),
    inbox_limits.inbox_kept_ms,
  ),
  sweepByAge(
    'mail_sweep',
    'Removes mails that have not changed for 30 days.',
    deleteOld('mails', 'updated', ['realm', 'id']),
    mail_limits.mail_kept_ms,
  ),
  sweepByAge(
    'push_sweep',
    'Removes notices of browsers that have not changed for 7 days.',
    deleteOld('pushes', 'updated', ['realm', 'id']),
    inbox_limits.push_kept_ms,
  ),
  sweepByAge(
    'inbound_mail_sweep',
    'Forgets the Message-IDs of mails that became comments more than 30 days ago.',
    deleteOld('inbound_mails', 'created', ['realm', 'id']),
    mail_limits.inbound_kept_ms,
  ),
  deletedEndpoints,
  sessionSweep,
  fileContentSweep,
  fileOrphanSweep,
  scrubWorker,
  ...automationSweeps,
]

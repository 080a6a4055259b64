/**
 * Workers: work without a request. A run takes no input, claims a bounded batch and is idempotent. One process at a time
 * holds a worker's lease; a row keeps its status for `atrium workers` and the metrics.
 */
import type { Services } from '../api/services.ts'
import { type Placeholder, query } from '../db/query.ts'
import { worker_limits } from './limits.ts'

export interface Worker {
  readonly name: string
  /** One sentence: what it does. */
  readonly does: string
  readonly period_ms: number
  /** How long a run may hold the lease before another process may take over. */
  readonly lease_ms: number
  /** The most rows or items that one run claims. */
  readonly batch_max: number
  /** Runs in all processes at the same time, because it claims each item separately. */
  readonly everywhere?: true
  /** Also runs when this wake-up is called in its process. */
  readonly wakeUp?: 'events' | 'deliveries' | 'automations' | 'files'
  /** How long a woken worker waits for more work; `worker_limits.worker_wake_ms` by default. */
  readonly wake_ms?: number
  /** On shutdown, ends what earlier runs have started. */
  readonly end?: (services: Services) => Promise<void>
  /** Processes one batch and returns its size; `batch_max` means that more may be due. `stop` aborts on shutdown. */
  run(services: Services, batch_max: number, stop: AbortSignal): Promise<number>
}

const claimLease = query(
  (db, p: Placeholder<{ owner: string | null; until: number | null; now: number | null; name: string }>) =>
    db
      .updateTable('workers')
      .set({ lease_owner: p('owner'), lease_until: p('until'), last_started_at: p('now') })
      .where('name', '=', p('name'))
      .where((eb) =>
        eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', p('now')), eb('lease_owner', '=', p('owner'))]),
      ),
)

const openRow = query((db, p: Placeholder<{ name: string }>) =>
  db
    .insertInto('workers')
    .values({
      name: p('name'),
      last_started_at: null,
      last_ended_at: null,
      last_done: 0,
      last_failed: 0,
      last_error: null,
      lease_until: null,
      lease_owner: null,
    })
    .onConflict((conflict) => conflict.doNothing()),
)

const endRun = query(
  (
    db,
    p: Placeholder<{
      now: number | null
      done: number
      failed: number
      error: string | null
      name: string
      owner: string
    }>,
  ) =>
    db
      .updateTable('workers')
      .set({
        last_ended_at: p('now'),
        last_done: p('done'),
        last_failed: p('failed'),
        last_error: p('error'),
        lease_until: null,
      })
      .where('name', '=', p('name'))
      .where('lease_owner', '=', p('owner')),
)

const storeStatus = query(
  (
    db,
    p: Placeholder<{
      started: number | null
      now: number | null
      done: number
      failed: number
      error: string | null
      name: string
    }>,
  ) =>
    db
      .updateTable('workers')
      .set({
        last_started_at: p('started'),
        last_ended_at: p('now'),
        last_done: p('done'),
        last_failed: p('failed'),
        last_error: p('error'),
      })
      .where('name', '=', p('name')),
)

const never_stopped = new AbortController().signal

/** Runs a worker until nothing is due and returns how much it did; null if another process holds its lease. */
export async function runWorker(
  services: Services,
  worker: Worker,
  owner: string,
  stop: AbortSignal = never_stopped,
): Promise<number | null> {
  const now = services.clock.now()
  const claimed = await services.store.write('system', async (tx) => {
    tx.write(openRow, { name: worker.name })
    return await tx.run(claimLease, { name: worker.name, owner, now, until: now + worker.lease_ms })
  })
  if (claimed === 0) return null
  const { done, error } = await runBatches(services, worker, stop)
  const ended = { name: worker.name, owner, now: services.clock.now(), done, failed: error === null ? 0 : 1, error }
  await services.store.write('system', async (tx) => tx.write(endRun, ended))
  return done
}

/** The results of this process's runs since the last stored status. */
export interface Report {
  started: number
  /** When the status was stored last, in milliseconds. */
  stored: number
  done: number
  error: string | null
}

/** The same for a worker that runs in every process. Its status is stored at intervals, so that an idle run costs no commit. */
export async function runEverywhere(
  services: Services,
  worker: Worker,
  soFar: Report,
  stop: AbortSignal = never_stopped,
): Promise<number> {
  soFar.started = services.clock.now()
  const { done, error } = await runBatches(services, worker, stop)
  soFar.done += done
  soFar.error = error ?? soFar.error
  const now = services.clock.now()
  if (error === null && now - soFar.stored < worker_limits.worker_report_ms) return done
  const status = { name: worker.name, started: soFar.started, now, done: soFar.done, error: soFar.error }
  Object.assign(soFar, { stored: now, done: 0, error: null })
  await services.store.write('system', async (tx) => {
    tx.write(openRow, { name: worker.name })
    tx.write(storeStatus, { ...status, failed: status.error === null ? 0 : 1 })
  })
  return done
}

async function runBatches(
  services: Services,
  worker: Worker,
  stop: AbortSignal,
): Promise<{ done: number; error: string | null }> {
  const now = services.clock.now()
  let done = 0
  try {
    for (
      let batch = worker.batch_max;
      batch >= worker.batch_max && !stop.aborted && services.clock.now() - now < worker.lease_ms / 2;
    ) {
      batch = await worker.run(services, worker.batch_max, stop)
      done += batch
    }
    return { done, error: null }
  } catch (caught) {
    const error = caught instanceof Error ? caught.message : String(caught)
    services.log.error('a worker failed', {
      worker: worker.name,
      error: caught instanceof Error ? caught.stack : error,
    })
    return { done, error }
  }
}

/**
 * Leases: a row with a lease belongs to its owner until the lease expires. An owner names its process, so that a process
 * that starts recognizes the leases of processes that have ended and need not wait for their expiry.
 */
import { randomUUID } from 'node:crypto'
import type { Services } from '../api/services.ts'
import { automation_limits } from '../automations/limits.ts'
import { type Placeholder, type Query, query } from '../db/query.ts'
import type { Store } from '../db/store.ts'
import { worker_limits } from './limits.ts'

/** A new owner of a lease. */
export function newLeaseOwner(store: Store): string {
  return `${randomUUID()}@${store.processes.own()}`
}

/** The process that an owner names; null for an owner without a process. */
function processOf(owner: string | null): string | null {
  return owner?.split('@')[1] ?? null
}

const takeWorker = query((db, p: Placeholder<{ owner: string; until: number; now: number; name: string }>) =>
  db
    .insertInto('workers')
    .values({
      ...{ name: p('name'), last_started_at: p('now'), last_ended_at: null, last_done: 0, last_failed: 0 },
      ...{ last_error: null, lease_until: p('until'), lease_owner: p('owner') },
    })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ lease_until: p('until'), lease_owner: p('owner') })
        .where((eb) =>
          eb.or([
            eb('workers.lease_until', 'is', null),
            eb('workers.lease_until', '<=', p('now')),
            eb('workers.lease_owner', '=', p('owner')),
          ]),
        ),
    ),
)

/** Takes or renews a lease that is no worker's, as a row among theirs. Returns whether `owner` holds it. */
export async function claimLease(
  store: Store,
  name: string,
  owner: string,
  now: number,
  lease_ms: number,
): Promise<boolean> {
  const taken = await store.write('system', async (tx) => {
    return await tx.run(takeWorker, { name, owner, now, until: now + lease_ms })
  })
  return taken > 0
}

/** Ends a lease of `claimLease`. */
export async function freeLease(store: Store, name: string, owner: string): Promise<void> {
  await store.write('system', async (tx) => tx.write(workers.release, { realm: 0, id: name, owner, now: 0 }))
}

interface LeasedRow {
  readonly realm: number
  readonly id: string
  readonly lease_owner: string | null
}

type Release = { realm: number; id: string; owner: string | null; now: number }

interface LeasedTable {
  readonly leased: Query<LeasedRow, { now: number; soon: number; count: number }>
  /** Ends a lease unless its owner has changed. */
  readonly release: Query<unknown, Release>
}

/** The lease of a worker, as a row of realm 0. */
const workers: LeasedTable = {
  leased: query((db, p) =>
    db
      .selectFrom('workers')
      .select((eb) => [eb.lit(0).as('realm'), 'name as id', 'lease_owner'])
      .where('lease_until', '>', p('now'))
      .limit(p('count')),
  ),
  release: query((db, p: Placeholder<Release>) =>
    db
      .updateTable('workers')
      .set({ lease_until: null })
      .where('name', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
  ),
}

const endpoints: LeasedTable = {
  leased: query((db, p) =>
    db
      .selectFrom('webhook_endpoints')
      .select(['realm', 'id', 'lease_owner'])
      .where('lease_owner', 'is not', null)
      .where('lease_until', '>', p('now'))
      .orderBy('id')
      .limit(p('count')),
  ),
  release: query((db, p: Placeholder<Release>) =>
    db
      .updateTable('webhook_endpoints')
      .set({ lease_owner: null, lease_until: null })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
  ),
}

const exports: LeasedTable = {
  leased: query((db, p) =>
    db
      .selectFrom('export_jobs')
      .select(['realm', 'id', 'lease_owner'])
      .where('status', '=', 'running')
      .where('lease_until', '>', p('now'))
      .orderBy('id')
      .limit(p('count')),
  ),
  release: query((db, p: Placeholder<Release>) =>
    db
      .updateTable('export_jobs')
      .set({ lease_until: p('now') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
  ),
}

/** A leased run is due when its lease expires, so the index of due runs finds it. */
const runs: LeasedTable = {
  leased: query((db, p) =>
    db
      .selectFrom('automation_runs')
      .select(['realm', 'id', 'lease_owner'])
      .where('due_at', '>', p('now'))
      .where('due_at', '<=', p('soon'))
      .where('lease_owner', 'is not', null)
      .orderBy('id')
      .limit(p('count')),
  ),
  release: query((db, p: Placeholder<Release>) =>
    db
      .updateTable('automation_runs')
      .set({ lease_until: p('now'), due_at: p('now') })
      .where('realm', '=', p('realm'))
      .where('id', '=', p('id'))
      .where('lease_owner', '=', p('owner')),
  ),
}

const tables: readonly LeasedTable[] = [workers, endpoints, exports, runs]

/** Ends the leases of processes that have ended and returns their number. */
export async function releaseDeadLeases({ store, clock }: Pick<Services, 'store' | 'clock'>): Promise<number> {
  const now = clock.now()
  const soon = now + automation_limits.automation_lease_ms
  const reader = store.reader('system')
  const found = await Promise.all(
    tables.map(({ leased }) => reader.all(leased, { now, soon, count: worker_limits.dead_leases_max })),
  )
  const names = new Set(found.flat().map(({ lease_owner }) => processOf(lease_owner)))
  names.delete(null)
  const ended = names.size === 0 ? new Set() : new Set(await store.processes.ended([...names] as string[]))
  if (ended.size === 0) return 0
  return await store.write('system', async (tx) => {
    let released = 0
    for (const [i, { release }] of tables.entries()) {
      for (const { realm, id, lease_owner: owner } of found[i] ?? []) {
        if (ended.has(processOf(owner))) released += await tx.run(release, { realm, id, owner, now })
      }
    }
    return released
  })
}

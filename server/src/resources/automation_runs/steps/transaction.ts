/**
 * The transaction of a step. It commits only while this process holds the run's lease and the row is as this process
 * last wrote it. Order: 1. check the lease's owner, the epoch and the revision; 2. execute the step; 3. write its
 * events and audit entries (contract/16#durability).
 */

import type { Mode } from '../../../api/declare/caller.ts'
import type { Services } from '../../../api/services.ts'
import { changed, Outbox } from '../../../api/write/outbox.ts'
import { type AuditedAction, listedFields, no_source, recordChange } from '../../../api/write/record.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { type Placeholder, query, updateQuery } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import type { RunTransaction } from '../end-run.ts'
import type { EmittedEvent } from './changes.ts'

export type RunServices = Pick<Services, 'store' | 'clock' | 'committed'>

const findLease = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('automation_runs')
    .select(['epoch', 'lease_owner', 'revision'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/**
 * `lost`: another process holds the run, or it ended. `stale`: an earlier attempt of this process was committed
 * although its answer was lost.
 */
type LeaseState = 'held' | 'lost' | 'stale'

async function checkLease(tx: Tx, run: AutomationRunRow): Promise<LeaseState> {
  const { realm, id, epoch, lease_owner, revision } = run
  const row = await tx.first(findLease, { realm, id })
  if (row === undefined || row.epoch !== epoch || row.lease_owner !== lease_owner) return 'lost'
  return row.revision === revision ? 'held' : 'stale'
}

/** A transaction of a run whose audit entries are recorded too. */
export interface StepTransaction extends RunTransaction {
  readonly audit: NonNullable<RunTransaction['audit']>
}

export type IfHeld<T> = { readonly lease: 'held'; readonly value: T } | { readonly lease: 'lost' | 'stale' }

/**
 * Runs `handle` in a transaction while the run is held, and commits its writes, events and audit entries. It may run
 * more than once, so it must change only the transaction. `prefetch` starts together with the lease check; on
 * PostgreSQL they share a round trip. Rejects as the store does, and with what `handle` throws.
 */
export async function inHeldRun<T, S = undefined>(
  services: RunServices,
  run: AutomationRunRow,
  handle: (transaction: StepTransaction, prefetched: S) => Promise<T>,
  prefetch: (tx: Tx, now: number) => Promise<S> = async () => undefined as S,
): Promise<IfHeld<T>> {
  return await inRunTransaction(services, run, async (transaction) => {
    const { tx, now } = transaction
    const [lease, prefetched] = await Promise.all([checkLease(tx, run), prefetch(tx, now)])
    return lease === 'held' ? { lease, value: await handle(transaction, prefetched) } : { lease }
  })
}

/** The same without the lease check: for claiming a run, and for facts that do not depend on its owner. */
export async function inRunTransaction<T>(
  { store, clock, committed }: RunServices,
  run: RecordedRun,
  handle: (transaction: StepTransaction) => Promise<T>,
): Promise<T> {
  const now = clock.now()
  const { organization, realm } = run
  let hasEvents = false
  const value = await store.write(
    { organization, realms: [realm] },
    async (tx) => {
      const outbox = new Outbox()
      const actions: AuditedAction[] = []
      const result = await handle({
        tx,
        now,
        emit: (event, after, before) => outbox.emit(event, after, before),
        audit: (action) => void actions.push(action),
      })
      hasEvents = outbox.size > 0
      await record(tx, run, outbox, actions, now)
      return result
    },
    { recorded: true },
  )
  if (hasEvents) committed(realm)
  return value
}

type RecordedRun = Pick<AutomationRunRow, 'realm' | 'organization' | 'automation_flow' | 'mode_of_data' | 'causes'>

async function record(
  tx: Tx,
  run: RecordedRun,
  outbox: Outbox,
  actions: readonly AuditedAction[],
  now: number,
): Promise<void> {
  if (outbox.size === 0 && actions.length === 0) return
  const { realm, organization, automation_flow, mode_of_data } = run
  const cause = {
    organization,
    realms: [{ realm, mode: mode_of_data as Mode }],
    actor: { type: 'automation', id: automation_flow } as const,
    causes: [...(JSON.parse(run.causes) as string[]), automation_flow],
    credential: null,
    request: null,
    idempotencyKey: null,
    source: no_source,
  }
  await recordChange(tx, cause, outbox, actions, now)
}

/** The audit entry of a step's events; its target is the object of the first event. */
export function auditOf(action: string, emitted: readonly EmittedEvent[], reason: string): AuditedAction {
  const { after, before } = emitted[0] as EmittedEvent
  const { object, id, workspace } = after as { id: string; object: string; workspace: string }
  const changed_fields = before === undefined ? [] : listedFields(changed(before, after))
  return { action, note: { target: { object, id, workspace }, reason }, changed_fields }
}

/** Updates a held run's row and returns it. The revision rises, and the lease is renewed unless `changes` end it. */
export function saveRun(
  { tx, now }: Pick<RunTransaction, 'tx' | 'now'>,
  run: AutomationRunRow,
  changes: Partial<AutomationRunRow>,
): AutomationRunRow {
  const until = now + automation_limits.automation_lease_ms
  const all = { lease_until: until, due_at: until, ...changes, updated: now, revision: run.revision + 1 }
  tx.write(updateQuery('automation_runs', Object.keys(all)), { ...all, realm: run.realm, id: run.id })
  return { ...run, ...all }
}

/** The changes of a row whose lease ends: no process holds the run until `due_at`. */
export function releasedUntil(due_at: number): Partial<AutomationRunRow> {
  return { due_at, lease_owner: null, lease_until: null }
}

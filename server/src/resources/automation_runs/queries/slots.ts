/**
 * Limits the concurrent runs of a flow. A run takes a slot when it starts and keeps it until it ends, even asleep. A
 * run without a slot waits with `due_at` null until a run that ends wakes the oldest one. Writes of one organization
 * are serial, so these counts hold until the commit (contract/16#settings).
 */
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'

const countHolders = query((db, p: Placeholder<{ realm: number; flow: string; key: string }>) =>
  db
    .selectFrom('automation_runs')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('concurrency_key', '=', p('key'))
    .where('ended_at', 'is', null)
    .where('holds_slot', '=', 1),
)

/** An older run that waits for a slot or is about to ask for one; debounced runs do not count. */
const findOlder = query((db, p: Placeholder<{ realm: number; flow: string; key: string; id: string; now: number }>) =>
  db
    .selectFrom('automation_runs')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('concurrency_key', '=', p('key'))
    .where('ended_at', 'is', null)
    .where('holds_slot', '=', 0)
    .where('id', '<', p('id'))
    .where((or) => or.or([or('due_at', 'is', null), or('due_at', '<=', p('now'))]))
    .limit(1),
)

const findWaiting = query((db, p: Placeholder<{ realm: number; flow: string; key: string }>) =>
  db
    .selectFrom('automation_runs')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('concurrency_key', '=', p('key'))
    .where('ended_at', 'is', null)
    .where('holds_slot', '=', 0)
    .where('due_at', 'is', null)
    .orderBy('id')
    .limit(1),
)

const setDue = query((db, p: Placeholder<{ due_at: number | null; realm: number; id: string }>) =>
  db
    .updateTable('automation_runs')
    .set({ due_at: p('due_at') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

function keyOf({ realm, automation_flow: flow, concurrency_key: key }: AutomationRunRow) {
  return { realm, flow, key }
}

/** Whether a queued run may start: fewer than `limit` runs of its flow and key hold a slot, and no older one waits. */
export async function slotIsFree(tx: Tx, run: AutomationRunRow, limit: number, now: number): Promise<boolean> {
  const held = Number((await tx.first(countHolders, keyOf(run)))?.count)
  if (held >= limit) return false
  if ((await tx.first(findOlder, { ...keyOf(run), id: run.id, now })) !== undefined) return false
  // If slots remain, wake the next queued run.
  if (held + 1 < limit) await wakeNext(tx, run, now)
  return true
}

/** Makes a queued run wait until another run ends. */
export function waitForSlot(tx: Tx, { realm, id }: AutomationRunRow): void {
  tx.write(setDue, { realm, id, due_at: null })
}

/** Wakes the oldest run that waits for a slot of this run's flow and key. */
export async function wakeNext(tx: Tx, run: AutomationRunRow, now: number): Promise<void> {
  const next = await tx.first(findWaiting, keyOf(run))
  if (next !== undefined) tx.write(setDue, { realm: run.realm, id: next.id, due_at: now })
}

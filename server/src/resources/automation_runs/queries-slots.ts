/**
 * How many runs of a flow go on at once. A run takes a slot when it begins and keeps it, asleep too, until it ends; one that
 * finds none waits without a time of its own (`due_at` not set) until whoever ends wakes the oldest. Writes of one
 * organization are serial, so what is counted here stands until the commit (decisions §16).
 */
import { query } from '../../db/query.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'

const countHolders = query((db, p) =>
  db
    .selectFrom('automation_runs')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('concurrency_key', '=', p('key'))
    .where('ended_at', 'is', null)
    .where('holds_slot', '=', 1),
)

/** An older one that waits for a slot, or will ask for one at any moment; one that is debounced does not count. */
const findOlder = query((db, p) =>
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

const findWaiting = query((db, p) =>
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

const setDue = query((db, p) =>
  db
    .updateTable('automation_runs')
    .set({ due_at: p('due_at') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

function keyOf({ realm, automation_flow: flow, concurrency_key: key }: AutomationRunRow) {
  return { realm, flow, key }
}

/** Whether a queued run may begin: fewer than `limit` of its flow and key go on, and none that is older waits. */
export async function slotIsFree(tx: Tx, run: AutomationRunRow, limit: number, now: number): Promise<boolean> {
  const held = Number((await tx.first(countHolders, keyOf(run)))?.count)
  if (held >= limit) return false
  if ((await tx.first(findOlder, { ...keyOf(run), id: run.id, now })) !== undefined) return false
  // With room for more than this one, whoever has waited longest behind it shall look too.
  if (held + 1 < limit) await wakeNext(tx, run, now)
  return true
}

/** Lets a queued run wait until one that goes on has ended. */
export function waitForSlot(tx: Tx, { realm, id }: AutomationRunRow): void {
  tx.write(setDue, { realm, id, due_at: null })
}

/** Lets the oldest run that waits for a slot of this run's flow and key look again, now. */
export async function wakeNext(tx: Tx, run: AutomationRunRow, now: number): Promise<void> {
  const next = await tx.first(findWaiting, keyOf(run))
  if (next !== undefined) tx.write(setDue, { realm: run.realm, id: next.id, due_at: now })
}

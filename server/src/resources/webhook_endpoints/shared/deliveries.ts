/**
 * All SQL about deliveries and their attempts that requests need. A delivery is one event for one endpoint; what resends
 * or replays it begins another cycle of the same delivery (contract/11#deliveries).
 */
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { EventRow, WebhookAttemptRow, WebhookDeliveryRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'

export type Trigger = 'automatic' | 'resend' | 'replay' | 'recover'

/** What a delivery is made of. */
export type DeliveredEvent = Pick<EventRow, 'realm' | 'id' | 'sequence' | 'created'>

const deliveriesOf = query((db, p: Placeholder<{ realm: number; event: string }>) =>
  db.selectFrom('webhook_deliveries').selectAll().where('realm', '=', p('realm')).where('event', '=', p('event')),
)

const attemptsOf = query((db, p: Placeholder<{ realm: number; deliveries: string }>, dialect) =>
  db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'delivery', p('deliveries')))
    .orderBy('delivery')
    .orderBy('number'),
)

const findPosition = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('webhook_positions').select('sequence').where('realm', '=', p('realm')),
)

const beginCycle = query((db, p: Placeholder<{ trigger: string; now: number | null; realm: number; id: string }>) =>
  db
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      status: 'pending',
      trigger: p('trigger'),
      cycle: eb('cycle', '+', 1),
      cycle_attempts: 0,
      next_attempt_at: p('now'),
    }))
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/**
 * Marks only enabled endpoints as due; the deliveries of others wait. One that is due already is written, too: only a lock on its row
 * keeps a process that releases it from overlooking deliveries that are not committed yet.
 */
const makeDue = query((db, p: Placeholder<{ now: number; realm: number; id: string }>) =>
  db
    .updateTable('webhook_endpoints')
    .set((eb) => ({
      next_due_at: eb.case().when('next_due_at', '<=', p('now')).then(eb.ref('next_due_at')).else(p('now')).end(),
    }))
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'enabled'),
)

/** The deliveries of an event, by endpoint. */
export async function deliveriesByEndpoint(
  reader: Reader,
  event: Pick<EventRow, 'realm' | 'id'>,
): Promise<Map<string, WebhookDeliveryRow>> {
  const rows = await reader.all(deliveriesOf, { realm: event.realm, event: event.id })
  return new Map(rows.map((row) => [row.endpoint, row]))
}

/** The attempts of deliveries, by delivery, oldest first. */
export async function attemptsByDelivery(
  reader: Reader,
  realm: number,
  deliveries: readonly WebhookDeliveryRow[],
): Promise<Map<string, WebhookAttemptRow[]>> {
  const ids = deliveries.filter((delivery) => delivery.attempts > 0).map((delivery) => delivery.id)
  const rows = ids.length === 0 ? [] : await reader.all(attemptsOf, { realm, deliveries: JSON.stringify(ids) })
  return Map.groupBy(rows, (row) => row.delivery)
}

/** The sequence up to which the realm's log was fanned out. */
export async function fannedOut(reader: Reader, realm: number): Promise<number> {
  return (await reader.first(findPosition, { realm }))?.sequence ?? 0
}

/** A delivery without attempts, due at `due_at`. */
export function newDelivery(
  event: DeliveredEvent,
  endpoint: string,
  trigger: Trigger,
  due_at: number,
  now: number,
): WebhookDeliveryRow {
  return {
    realm: event.realm,
    id: newId('dlv', now),
    created: now,
    event: event.id,
    sequence: event.sequence,
    event_created: event.created,
    endpoint,
    status: 'pending',
    trigger,
    cycle: 1,
    cycle_attempts: 0,
    attempts: 0,
    next_attempt_at: due_at,
  }
}

/** Starts a new schedule for the delivery of an event to an endpoint, and creates the delivery if it is missing. */
export function startCycle(
  tx: Tx,
  event: DeliveredEvent,
  endpoint: string,
  delivery: WebhookDeliveryRow | undefined,
  trigger: Trigger,
  now: number,
): void {
  const { realm } = event
  if (delivery === undefined) tx.insert('webhook_deliveries', newDelivery(event, endpoint, trigger, now, now))
  else tx.write(beginCycle, { realm, id: delivery.id, trigger, now })
  tx.write(makeDue, { realm, id: endpoint, now })
}

/** Marks endpoints as due at `now`. */
export function markDue(tx: Tx, realm: number, endpoints: Iterable<string>, now: number): void {
  // All transactions lock endpoints in the same order, which avoids deadlocks.
  for (const id of [...endpoints].sort()) tx.write(makeDue, { realm, id, now })
}

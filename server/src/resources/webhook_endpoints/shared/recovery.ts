/** Finds the events that an endpoint has missed, and starts their deliveries afresh (contract/11#recovery). */
import { limits } from '../../../api/limits.ts'
import { lastBefore } from '../../../api/stream/log-range.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { EventRow, WebhookDeliveryRow, WebhookEndpointRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { declines } from '../webhook_endpoint.ts'
import { fannedOut, startCycle } from './deliveries.ts'

/** Without their data, which may be large. */
const eventsAfter = query(
  (db, p: Placeholder<{ realm: number; sequence: number; last: number; from: number; count: number }>) =>
    db
      .selectFrom('events')
      .select(['realm', 'id', 'sequence', 'created', 'type', 'credential'])
      .where('realm', '=', p('realm'))
      .where('sequence', '>', p('sequence'))
      .where('sequence', '<=', p('last'))
      .where('created', '>=', p('from'))
      .orderBy('sequence')
      .limit(p('count')),
)

const deliveriesOf = query((db, p: Placeholder<{ realm: number; endpoint: string; events: string }>, dialect) =>
  db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'event', p('events')))
    .where('endpoint', '=', p('endpoint')),
)

type Candidate = Pick<EventRow, 'realm' | 'id' | 'sequence' | 'created' | 'type' | 'credential'>

export interface Recovery {
  /** Deliveries that got a fresh schedule. */
  readonly count: number
  /** The time of the last event that was looked at, in milliseconds; null if no later event remains. */
  readonly reached: number | null
}

/**
 * Looks at the events from `from` (milliseconds) on, oldest first, until `webhook_recovery_events_max` were seen or
 * `webhook_recovery_deliveries_max` scheduled. What is still to be fanned out is left to that. A second is looked at as a
 * whole, so that a call that continues at the reached one gets on.
 */
export async function startRecovery(
  tx: Tx,
  endpoint: WebhookEndpointRow,
  from: number,
  now: number,
): Promise<Recovery> {
  const { realm, active_after } = endpoint
  const last = Math.max(await fannedOut(tx, realm), active_after)
  let sequence = (await lastBefore(tx, realm, from)) ?? 0
  let seen = 0
  let count = 0
  for (;;) {
    const asked = { realm, sequence, last, from, count: limits.event_batch_max }
    const events = await tx.all(eventsAfter, asked)
    const missed = await missedOf(tx, endpoint, events)
    for (const { event, delivery } of missed) startCycle(tx, event, endpoint.id, delivery, 'recover', now)
    seen += events.length
    count += missed.length
    const end = events.at(-1)
    if (end === undefined || events.length < limits.event_batch_max) return { count, reached: null }
    sequence = end.sequence
    const isEnough = seen >= limits.webhook_recovery_events_max || count >= limits.webhook_recovery_deliveries_max
    if (isEnough && end.created >= from + 1000) return { count, reached: end.created }
  }
}

interface Missed {
  readonly event: Candidate
  readonly delivery: WebhookDeliveryRow | undefined
}

/** Those of the events that the endpoint wants, has not received and is not about to get on a fresh schedule. */
async function missedOf(tx: Tx, endpoint: WebhookEndpointRow, events: readonly Candidate[]): Promise<Missed[]> {
  const wanted = events.filter((event) => declines(endpoint, event) === null)
  if (wanted.length === 0) return []
  const ids = JSON.stringify(wanted.map(({ id }) => id))
  const rows = await tx.all(deliveriesOf, { realm: endpoint.realm, endpoint: endpoint.id, events: ids })
  const known = new Map(rows.map((row) => [row.event, row]))
  return wanted
    .map((event) => ({ event, delivery: known.get(event.id) }))
    .filter(({ delivery }) => delivery === undefined || !isServed(delivery))
}

function isServed({ status, cycle_attempts }: WebhookDeliveryRow): boolean {
  return status === 'succeeded' || (status === 'pending' && cycle_attempts === 0)
}

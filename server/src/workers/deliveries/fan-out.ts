/**
 * Creates deliveries of events. Reads each realm's log after its stored position, matches the endpoints that are enabled
 * now, and commits the deliveries together with the new position: none is missing and none is created twice, even if
 * several processes do this at the same time. Realms without endpoints have no position and cost nothing (contract/11#isolation).
 */

import { limits } from '../../api/limits.ts'
import type { Services } from '../../api/services.ts'
import { followLog, headOf, type LogPosition } from '../../api/stream/log.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { EventRow, WebhookDeliveryRow, WebhookEndpointRow, WebhookPositionRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { markDue, newDelivery } from '../../resources/webhook_endpoints/shared/deliveries.ts'
import { liveEndpoints } from '../../resources/webhook_endpoints/shared/queries.ts'
import { declines } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import { worker_limits } from '../limits.ts'
import type { Worker } from '../worker.ts'

const realmsBehind = query((db, p: Placeholder<{ count: number }>) =>
  db
    .selectFrom('webhook_positions as position')
    .innerJoin('event_heads', 'event_heads.realm', 'position.realm')
    .select(['position.realm', 'position.organization'])
    .whereRef('event_heads.sequence', '!=', 'position.sequence')
    .orderBy('position.fanned_out_at')
    .limit(p('count')),
)

const findPosition = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('webhook_positions').selectAll().where('realm', '=', p('realm')),
)

const movePosition = query(
  (db, p: Placeholder<{ sequence: number; event: string | null; fanned_out_at: number; realm: number }>) =>
    db
      .updateTable('webhook_positions')
      .set({ sequence: p('sequence'), event: p('event'), fanned_out_at: p('fanned_out_at') })
      .where('realm', '=', p('realm')),
)

/** A replay may have created the delivery already. */
const insertDelivery = query((db, p: Placeholder<Pick<WebhookDeliveryRow, keyof WebhookDeliveryRow>>) =>
  db
    .insertInto('webhook_deliveries')
    .values({
      realm: p('realm'),
      id: p('id'),
      created: p('created'),
      event: p('event'),
      sequence: p('sequence'),
      event_created: p('event_created'),
      endpoint: p('endpoint'),
      status: p('status'),
      trigger: p('trigger'),
      cycle: p('cycle'),
      cycle_attempts: p('cycle_attempts'),
      attempts: p('attempts'),
      next_attempt_at: p('next_attempt_at'),
    })
    .onConflict((conflict) => conflict.columns(['realm', 'event', 'endpoint']).doNothing()),
)

export const fanOutWorker: Worker = {
  name: 'webhook_fan_out',
  does: 'Creates deliveries of new events for the endpoints that subscribe to them.',
  period_ms: 500,
  lease_ms: 30_000,
  batch_max: worker_limits.fan_out_realms_max,
  everywhere: true,
  wakeUp: 'events',
  async run(services, batch_max) {
    const realms = await services.store.reader('system').all(realmsBehind, { count: batch_max })
    await Promise.all(realms.map((place) => fanOut(services, place)))
    // A step is bounded, so more events may follow.
    if (realms.length > 0) services.wakeUps.call('events')
    return realms.length
  },
}

/** Processes one batch of a realm's log: as many events as create a bounded number of deliveries. */
async function fanOut(services: Services, place: Pick<WebhookPositionRow, 'realm' | 'organization'>): Promise<void> {
  const scope = { organization: place.organization, realms: [place.realm] }
  // The organization’s writes wait meanwhile, so no endpoint changes and no event is committed.
  const { made, lost } = await services.store.write(scope, async (tx) => {
    const position = await tx.first(findPosition, { realm: place.realm })
    return position === undefined ? { made: 0, lost: null } : await step(tx, position, services.clock.now())
  })
  if (lost !== null) {
    const message =
      'the newest events are missing after a failover or restore; webhooks continue with those in their place'
    services.log.error(message, { realm: place.realm, event: lost.id, sequence: lost.sequence })
  }
  if (made > 0) services.wakeUps.call('deliveries')
}

interface Stepped {
  readonly made: number
  /** The position whose event is missing. */
  readonly lost: LogPosition | null
}

async function step(tx: Tx, position: WebhookPositionRow, clock: number): Promise<Stepped> {
  const { realm } = position
  const endpoints = (await tx.all(liveEndpoints, { realm })).filter((endpoint) => endpoint.status === 'enabled')
  const now = laterOf(clock, position.fanned_out_at)
  const count = Math.max(
    1,
    Math.min(limits.event_batch_max, Math.floor(worker_limits.fan_out_deliveries_max / (endpoints.length || 1))),
  )
  const after = { sequence: position.sequence, id: position.event }
  const at = { now: clock, clocks_apart_ms: limits.clocks_apart_ms }
  const { events, isLost } =
    endpoints.length === 0 ? { events: [], isLost: false } : await followLog(tx, realm, after, count, at)
  const last = events.at(-1) ?? { sequence: await headOf(tx, realm), id: null }
  const deliveries = events.flatMap((event) => deliveriesOf(event, endpoints, now, clock))
  for (const delivery of deliveries) tx.write(insertDelivery, { ...delivery })
  markDue(tx, realm, new Set(deliveries.map((delivery) => delivery.endpoint)), now)
  tx.write(movePosition, { realm, sequence: last.sequence, event: last.id, fanned_out_at: now })
  return { made: deliveries.length, lost: isLost ? after : null }
}

/**
 * Due times follow the order of the log, even if the clock goes back a little or the clock of another process is ahead. A
 * clock that was far ahead and was corrected must not delay deliveries until that time.
 */
function laterOf(clock: number, last: number): number {
  return last - clock > limits.clocks_apart_ms ? clock : Math.max(clock, last)
}

function deliveriesOf(
  event: EventRow,
  endpoints: readonly WebhookEndpointRow[],
  due_at: number,
  now: number,
): WebhookDeliveryRow[] {
  return endpoints
    .filter((endpoint) => event.sequence > endpoint.active_after && declines(endpoint, event) === null)
    .map((endpoint) => newDelivery(event, endpoint.id, 'automatic', due_at, now))
}

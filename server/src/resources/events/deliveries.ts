/**
 * What became of an event at each endpoint of today: one row an endpoint, also for those that it was never sent to, with
 * the reason (contract/11#deliveries).
 */
import Type, { type Static } from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { described, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import type { Versions } from '../../api/declare/version.ts'
import { limits } from '../../api/limits.ts'
import { Event, showEvent } from '../../api/stream/shape.ts'
import type { EventRow, WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { Attempt, showAttempts } from '../webhook_endpoints/shared/attempts.ts'
import { attemptsByDelivery, deliveriesByEndpoint, fannedOut } from '../webhook_endpoints/shared/deliveries.ts'
import { liveEndpoints } from '../webhook_endpoints/shared/queries.ts'
import { declines } from '../webhook_endpoints/webhook_endpoint.ts'

const Delivery = Type.Object({
  id: described(Nullable(Id), 'Id of the delivery; null if the event was never sent to the endpoint.'),
  object: described(Type.Literal('delivery'), 'Kind of object: always `delivery`.'),
  webhook_endpoint: described(Id, 'Endpoint that the delivery is for.'),
  status: described(
    OneOf('pending', 'succeeded', 'failed', 'skipped'),
    '`pending` until the last attempt; `skipped` if the endpoint does not receive the event.',
  ),
  skip_reason: described(
    Nullable(OneOf('not_subscribed', 'own_event', 'endpoint_paused', 'endpoint_disabled')),
    'Why the event was not sent; null otherwise.',
  ),
  next_attempt_at: described(Nullable(Seconds), 'When the next attempt is due, in Unix seconds; null if none is.'),
  attempts: described(Type.Array(Attempt, { maxItems: limits.event_attempts_max }), 'The newest attempts, in order.'),
})
type Delivery = Static<typeof Delivery>

export const EventWithDeliveries = Type.Object({
  ...Event.properties,
  deliveries: described(
    Type.Array(Delivery, { maxItems: limits.webhook_endpoints_max }),
    'One entry for each existing endpoint.',
  ),
})

interface DeliveryReader {
  readonly caller: Caller
  readonly version: string
  readonly versions: Versions
}

/** The event with its deliveries, in the version of the request. */
export async function showWithDeliveries(reader: Reader, by: DeliveryReader, event: EventRow): Promise<object> {
  const shown = by.versions.downgradeEvent(by.version, showEvent(event, by.caller))
  const endpoints = await reader.all(liveEndpoints, { realm: event.realm })
  const deliveries = await deliveriesByEndpoint(reader, event)
  const attempts = await attemptsByDelivery(reader, event.realm, [...deliveries.values()])
  const position = await fannedOut(reader, event.realm)
  const rows = endpoints.map((endpoint) => {
    const delivery = deliveries.get(endpoint.id)
    return delivery === undefined
      ? untried(endpoint, event, position)
      : tried(endpoint, delivery, attempts.get(delivery.id) ?? [])
  })
  return { ...shown, deliveries: rows }
}

function tried(
  endpoint: WebhookEndpointRow,
  row: WebhookDeliveryRow,
  attempts: readonly WebhookAttemptRow[],
): Delivery {
  const waits = row.next_attempt_at !== null && endpoint.status === 'enabled'
  return {
    id: row.id,
    object: 'delivery',
    webhook_endpoint: endpoint.id,
    status: row.status as Delivery['status'],
    skip_reason: null,
    next_attempt_at: waits ? seconds(row.next_attempt_at as number) : null,
    attempts: showAttempts(attempts),
  }
}

function untried(endpoint: WebhookEndpointRow, event: EventRow, position: number): Delivery {
  const skip_reason = skipReason(endpoint, event, position)
  return {
    id: null,
    object: 'delivery',
    webhook_endpoint: endpoint.id,
    status: skip_reason === null ? 'pending' : 'skipped',
    skip_reason,
    next_attempt_at: null,
    attempts: [],
  }
}

/** `null`: it is going to be sent, only its turn has not come. */
function skipReason(endpoint: WebhookEndpointRow, event: EventRow, position: number): Delivery['skip_reason'] {
  const declined = declines(endpoint, event)
  if (declined !== null) return declined
  if (endpoint.status === 'paused') return 'endpoint_paused'
  if (endpoint.status === 'disabled') return 'endpoint_disabled'
  if (event.sequence > Math.max(position, endpoint.active_after)) return null
  // It wants such events now; this one came before it did, or while it was paused.
  const wasThere = event.created >= endpoint.created && event.sequence <= endpoint.active_after
  return wasThere && endpoint.revision > 1 ? 'endpoint_paused' : 'not_subscribed'
}

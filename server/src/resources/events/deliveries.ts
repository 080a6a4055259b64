/**
 * What became of an event at each endpoint of today: one row an endpoint, also for those that it was never sent to, with
 * the reason (decisions §11).
 */
import Type, { type Static } from 'typebox'
import type { Caller } from '../../api/caller.ts'
import { Event, showEvent } from '../../api/event-shape.ts'
import { Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import type { Versions } from '../../api/version.ts'
import type { EventRow, WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import { liveEndpoints } from '../webhook_endpoints/queries.ts'
import { attemptsByDelivery, deliveriesByEndpoint, fannedOut } from '../webhook_endpoints/queries-deliveries.ts'
import { declines } from '../webhook_endpoints/webhook_endpoint.ts'

const Trigger = OneOf('automatic', 'resend', 'replay')

const Attempt = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  created: Seconds,
  duration_ms: Type.Integer({ minimum: 0 }),
  http_status: Nullable(Type.Integer()),
  error_category: Nullable(Type.String()),
  response_excerpt: Nullable(Type.String()),
  trigger: Trigger,
})

const Delivery = Type.Object({
  id: Nullable(Id),
  object: Type.Literal('delivery'),
  webhook_endpoint: Id,
  status: OneOf('pending', 'succeeded', 'failed', 'skipped'),
  skip_reason: Nullable(OneOf('not_subscribed', 'own_event', 'endpoint_paused', 'endpoint_disabled')),
  next_attempt_at: Nullable(Seconds),
  attempts: Type.Array(Attempt, { maxItems: limits.event_attempts_max }),
})
type Delivery = Static<typeof Delivery>

export const EventWithDeliveries = Type.Object({
  ...Event.properties,
  deliveries: Type.Array(Delivery, { maxItems: limits.webhook_endpoints_max }),
})

interface Asked {
  readonly caller: Caller
  readonly version: string
  readonly services: { readonly versions: Versions }
}

/** The event with its deliveries, in the version of the request. */
export async function showWithDeliveries(reader: Reader, asked: Asked, event: EventRow): Promise<object> {
  const shown = asked.services.versions.downgradeEvent(asked.version, showEvent(event, asked.caller.mode))
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
    attempts: attempts.slice(-limits.event_attempts_max).map((attempt) => ({
      number: attempt.number,
      created: seconds(attempt.created),
      duration_ms: attempt.duration_ms,
      http_status: attempt.http_status,
      error_category: attempt.error_category,
      response_excerpt: attempt.response_excerpt,
      trigger: attempt.trigger as Static<typeof Trigger>,
    })),
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

/** The delivery: one event for one webhook endpoint, with its attempts (contract/11#delivery-lists). */
import Type, { type Static } from 'typebox'
import type { Noun } from '../../api/declare/noun.ts'
import { described, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { Attempt, showAttempts } from '../webhook_endpoints/shared/attempts.ts'

export const delivery_statuses = ['pending', 'succeeded', 'failed'] as const

export const Delivery = Type.Object({
  id: described(Id, 'Id of the delivery, as in `Service-Delivery`.'),
  object: described(Type.Literal('delivery'), 'Kind of object: always `delivery`.'),
  created: described(Seconds, 'When the delivery was made, in Unix seconds.'),
  webhook_endpoint: described(Id, 'Endpoint that the delivery is for.'),
  event: described(Id, 'Event that is delivered.'),
  status: described(OneOf(...delivery_statuses), '`pending` until an attempt succeeds or the last one fails.'),
  next_attempt_at: described(Nullable(Seconds), 'When the next attempt is due, in Unix seconds; null if none is.'),
  attempts: described(Type.Array(Attempt, { maxItems: limits.event_attempts_max }), 'The newest attempts, in order.'),
})
export type Delivery = Static<typeof Delivery>

export function showDelivery(
  row: WebhookDeliveryRow,
  endpoint: Pick<WebhookEndpointRow, 'status'>,
  attempts: readonly WebhookAttemptRow[],
): Delivery {
  const next = endpoint.status === 'enabled' ? row.next_attempt_at : null
  return {
    id: row.id,
    object: 'delivery',
    created: seconds(row.created),
    webhook_endpoint: row.endpoint,
    event: row.event,
    status: row.status as Delivery['status'],
    next_attempt_at: next === null ? null : seconds(next),
    attempts: showAttempts(attempts),
  }
}

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('webhook_deliveries').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export const deliveryNoun: Noun<WebhookDeliveryRow, { id: string; object: string }> = {
  object: 'delivery',
  prefix: 'dlv',
  table: 'webhook_deliveries',
  schema: Delivery,
  readScope: 'api:manage',
  workspaced: false,
  forgets: true,
  find: (reader, { realm }, reference) => reader.first(byId, { realm, id: reference }),
  show: ({ id }) => ({ id, object: 'delivery' }),
}

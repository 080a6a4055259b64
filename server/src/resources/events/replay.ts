import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { deliveriesByEndpoint, startCycle } from '../webhook_endpoints/shared/deliveries.ts'
import { liveEndpoints } from '../webhook_endpoints/shared/queries.ts'
import { declines } from '../webhook_endpoints/webhook_endpoint.ts'
import { EventWithDeliveries, showWithDeliveries } from './deliveries.ts'
import { findRetained } from './queries.ts'

/** Sends the event to every enabled endpoint that now subscribes to it, also if it was sent before; 409 if there is no such endpoint. */
export const replayEvent = writeOperation({
  id: 'events.replay',
  method: 'POST',
  path: '/v1/events/{id}/replay',
  summary: 'Replay an event',
  scope: 'api:manage',
  credits: 10,
  returns: EventWithDeliveries,
  emits: [],
  example: { params: { id: '{event}' } },
  async handle(context) {
    const { params, caller, tx, now, note } = context
    const event = await findRetained(tx, caller, params.id as string, now)
    const endpoints = await tx.all(liveEndpoints, { realm: caller.realm })
    const matching = endpoints.filter((row) => row.status === 'enabled' && declines(row, event) === null)
    if (matching.length === 0) {
      throw refuse('resource_conflict', { message: 'No enabled endpoint subscribes to this event.' })
    }
    const deliveries = await deliveriesByEndpoint(tx, event)
    for (const { id } of matching) startCycle(tx, event, id, deliveries.get(id), 'replay', now)
    note({ target: { object: 'event', id: event.id }, unannounced: true })
    return await showWithDeliveries(tx, context, event)
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('deliveries'),
})

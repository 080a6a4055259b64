import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { deliveriesByEndpoint, startCycle } from '../webhook_endpoints/shared/deliveries.ts'
import { liveEndpoints } from '../webhook_endpoints/shared/queries.ts'
import { EventWithDeliveries, showWithDeliveries } from './deliveries.ts'
import { findRetained } from './queries.ts'

/**
 * Sends the event again to the enabled endpoints where its delivery has not succeeded, or to all of them if all succeeded;
 * 409 if there is no such endpoint.
 */
export const resendEvent = writeOperation({
  id: 'events.resend',
  method: 'POST',
  path: '/v1/events/{id}/resend',
  summary: 'Resend an event',
  scope: 'api:manage',
  credits: 10,
  returns: EventWithDeliveries,
  emits: [],
  example: { params: { id: '{event}' } },
  async handle(context) {
    const { params, caller, tx, now, note } = context
    const event = await findRetained(tx, caller, params.id as string, now)
    const endpoints = await tx.all(liveEndpoints, { realm: caller.realm })
    const enabled = new Set(endpoints.filter((row) => row.status === 'enabled').map((row) => row.id))
    const sendable = [...(await deliveriesByEndpoint(tx, event)).values()].filter((row) => enabled.has(row.endpoint))
    const open = sendable.filter((row) => row.status !== 'succeeded')
    if (sendable.length === 0) {
      throw refuse('resource_conflict', { message: 'The event has no delivery to an enabled endpoint.' })
    }
    const chosen = open.length > 0 ? open : sendable
    for (const row of chosen.toSorted((a, b) => (a.endpoint < b.endpoint ? -1 : 1))) {
      startCycle(tx, event, row.endpoint, row, 'resend', now)
    }
    note({ target: { object: 'event', id: event.id }, unannounced: true })
    return await showWithDeliveries(tx, context, event)
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('deliveries'),
})

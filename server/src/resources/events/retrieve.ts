import { readOperation } from '../../api/declare/operation.ts'
import { EventWithDeliveries, showWithDeliveries } from './deliveries.ts'
import { findRetained } from './queries.ts'

/** Shows an event with its delivery to each existing endpoint. After 30 days the answer is 410. */
export const retrieveEvent = readOperation({
  id: 'events.retrieve',
  method: 'GET',
  path: '/v1/events/{id}',
  summary: 'Retrieve an event',
  scope: 'api:read',
  credits: 1,
  returns: EventWithDeliveries,
  example: { params: { id: '{event}' } },
  async handle(context) {
    const { params, reader, caller, now } = context
    return await showWithDeliveries(reader, context, await findRetained(reader, caller, params.id as string, now))
  },
})

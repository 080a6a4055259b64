import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { webhookEndpointDeleted } from './events.ts'
import { eraseEndpoint } from './shared/queries.ts'
import { showWebhookEndpoint, webhookEndpointNoun } from './webhook_endpoint.ts'

/** Deletes an endpoint and its deliveries permanently. Its id then answers 404. A running attempt may still finish. */
export const deleteWebhookEndpoint = writeOperation({
  id: 'webhook_endpoints.delete',
  method: 'DELETE',
  path: '/v1/webhook_endpoints/{id}',
  summary: 'Delete a webhook endpoint',
  scope: 'api:manage',
  credits: 10,
  errorClass: 'webhook_write',
  target: webhookEndpointNoun,
  returns: Deleted('webhook_endpoint'),
  emits: [webhookEndpointDeleted],
  example: { params: { id: '{webhook_endpoint}' } },
  async handle({ target, tx, now, emit }) {
    await eraseEndpoint(tx, target, now)
    emit(webhookEndpointDeleted, showWebhookEndpoint(target, now))
    return { id: target.id, object: 'webhook_endpoint', deleted: true }
  },
})

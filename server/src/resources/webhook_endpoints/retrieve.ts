import { readOperation } from '../../api/declare/operation.ts'
import { showWebhookEndpoint, WebhookEndpoint, webhookEndpointNoun } from './webhook_endpoint.ts'

/** Shows an endpoint with the state of its deliveries, without its secret. */
export const retrieveWebhookEndpoint = readOperation({
  id: 'webhook_endpoints.retrieve',
  method: 'GET',
  path: '/v1/webhook_endpoints/{id}',
  summary: 'Retrieve a webhook endpoint',
  scope: 'api:manage',
  credits: 1,
  target: webhookEndpointNoun,
  returns: WebhookEndpoint,
  example: { params: { id: '{webhook_endpoint}' } },
  handle: ({ target, now }) => showWebhookEndpoint(target, now),
})

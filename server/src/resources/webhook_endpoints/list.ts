import { listOperation } from '../../api/declare/operation.ts'
import { listByCursor } from '../../api/request/page.ts'
import type { WebhookEndpointRow } from '../../db/schema.ts'
import { endpointsBefore, newestEndpoints } from './shared/queries.ts'
import { showWebhookEndpoint, webhookEndpointNoun } from './webhook_endpoint.ts'

/** Lists the endpoints of the caller's realm, newest first, without secrets. */
export const listWebhookEndpoints = listOperation({
  id: 'webhook_endpoints.list',
  method: 'GET',
  path: '/v1/webhook_endpoints',
  summary: 'List webhook endpoints',
  scope: 'api:manage',
  credits: 5,
  paging: 'opaque',
  lists: webhookEndpointNoun,
  handle(context) {
    const { reader, now } = context
    const { realm } = context.caller
    return listByCursor<WebhookEndpointRow>(context, {
      binding: { operation: 'webhook_endpoints.list', realm, filters: {} },
      read: async (position, count) =>
        position === null
          ? await reader.all(newestEndpoints, { realm, count })
          : await reader.all(endpointsBefore, { realm, id: position[0] as string, count }),
      show: (row) => showWebhookEndpoint(row, now),
      positionOf: (row) => [row.id],
    })
  },
})

import { refuse } from '../../api/declare/errors.ts'
import { listOperation } from '../../api/declare/operation.ts'
import { secondsParameter, wordParameter } from '../../api/declare/parameters.ts'
import { exclusiveTimes } from '../../api/request/exclusive-times.ts'
import { readPageRequest, toPage } from '../../api/request/page.ts'
import { attemptsByDelivery } from '../webhook_endpoints/shared/deliveries.ts'
import { webhookEndpointNoun } from '../webhook_endpoints/webhook_endpoint.ts'
import { delivery_statuses, deliveryNoun, showDelivery } from './delivery.ts'
import { readDeliveries } from './queries.ts'

/**
 * Lists what was delivered to an endpoint, or is to be, newest first. Events that were never to be sent to it have no
 * delivery. A delivery is kept as long as its event.
 */
export const listDeliveries = listOperation({
  id: 'deliveries.list',
  method: 'GET',
  path: '/v1/webhook_endpoints/{id}/deliveries',
  summary: 'List the deliveries of a webhook endpoint',
  scope: 'api:manage',
  credits: 5,
  extension: true,
  paging: 'id',
  parent: webhookEndpointNoun,
  lists: deliveryNoun,
  query: {
    status: wordParameter(delivery_statuses, 'Only deliveries with this status.'),
    created_after: secondsParameter('Unix seconds; only later deliveries.'),
  },
  example: { params: { id: '{webhook_endpoint}' } },
  async handle(context) {
    const { reader, caller, parent, query } = context
    const page = readPageRequest(query)
    if (page.cursor !== null) {
      const row = await deliveryNoun.find(reader, caller, page.cursor)
      if (row === undefined) throw refuse('cursor_invalid', { param: page.param })
      if (row.endpoint !== parent.id) throw refuse('cursor_filter_mismatch', { param: page.param })
    }
    const { from } = exclusiveTimes(query)
    const rows = await readDeliveries(reader, { ...parent, status: query.status, from, page })
    const attempts = await attemptsByDelivery(reader, caller.realm, rows)
    return toPage(
      rows,
      page,
      (row) => showDelivery(row, parent, attempts.get(row.id) ?? []),
      (row) => row.id,
    )
  },
})

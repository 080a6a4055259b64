/** Reading the deliveries of an endpoint, a page at a time. */
import type { PageRequest } from '../../api/request/page.ts'
import { type AnyValues, literal, shapedQuery } from '../../db/query.ts'
import type { WebhookDeliveryRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { smallestId } from '../../lib/ids.ts'

export interface DeliveryCriteria {
  readonly realm: number
  /** The endpoint. */
  readonly id: string
  readonly status?: string | undefined
  /** The earliest time included, in milliseconds. */
  readonly from?: number | undefined
  readonly page: PageRequest
}

/**
 * One row more than the page shows. Every combination reads one index in the order of ids; the time in the ids ends the
 * range, so neither older deliveries nor those of another status are read.
 */
export async function readDeliveries(reader: Reader, criteria: DeliveryCriteria): Promise<WebhookDeliveryRow[]> {
  const { realm, id, status, from, page } = criteria
  const cursor = page.cursor === null ? '' : page.param
  const shape = `deliveries ${status && 'status'} ${from === undefined ? '' : 'from'} ${cursor} ${page.limit}`
  const rows = shapedQuery<WebhookDeliveryRow, AnyValues>(shape, (db, p) => {
    let select = db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('endpoint', '=', p('endpoint'))
    if (status !== undefined) select = select.where('status', '=', p('status'))
    if (from !== undefined) select = select.where('created', '>=', p('from')).where('id', '>=', p('first'))
    if (page.cursor !== null) select = select.where('id', page.backwards ? '>' : '<', p('cursor'))
    return select.orderBy('id', page.backwards ? 'asc' : 'desc').limit(literal(page.limit + 1))
  })
  const first = from === undefined ? undefined : smallestId('dlv', from)
  const values: Record<string, unknown> = { realm, endpoint: id, status, from, first, cursor: page.cursor }
  return await reader.all(rows, values as AnyValues)
}

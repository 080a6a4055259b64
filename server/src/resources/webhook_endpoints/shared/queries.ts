/** SQL of endpoints besides their look-up: pages, counts, and the position of a realm's fan-out. */
import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { limits } from '../../../api/limits.ts'
import { type Placeholder, query, updateQuery } from '../../../db/query.ts'
import type { WebhookEndpointRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'

export const newestEndpoints = query((db, p: Placeholder<{ realm: number; count: number }>) =>
  db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(p('count')),
)

export const endpointsBefore = query((db, p: Placeholder<{ realm: number; id: string; count: number }>) =>
  db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where('id', '<', p('id'))
    .orderBy('id', 'desc')
    .limit(p('count')),
)

/** Ascending by id; a realm has at most `webhook_endpoints_max`. */
export const liveEndpoints = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)

const countEndpoints = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('webhook_endpoints')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null),
)

export async function requireRoomForEndpoint(reader: Reader, realm: number): Promise<void> {
  const count = (await reader.first(countEndpoints, { realm }))?.count ?? 0
  if (count < limits.webhook_endpoints_max) return
  throw refuse('resource_conflict', {
    message: `There are ${limits.webhook_endpoints_max} endpoints; delete one first.`,
  })
}

const openPosition = query(
  (db, p: Placeholder<{ realm: number; organization: string; mode: string; sequence: number; now: number }>) =>
    db
      .insertInto('webhook_positions')
      .values({
        realm: p('realm'),
        organization: p('organization'),
        mode: p('mode'),
        sequence: p('sequence'),
        event: null,
        fanned_out_at: p('now'),
      })
      .onConflict((conflict) => conflict.doNothing()),
)

const closePosition = query((db, p: Placeholder<{ realm: number }>) =>
  db.deleteFrom('webhook_positions').where('realm', '=', p('realm')),
)

/**
 * The sequence of the event that this write emits; the endpoint receives events after it. Starts the fan-out of the realm
 * with its first endpoint.
 */
export async function beginAfterThisWrite(tx: Tx, caller: Caller, now: number): Promise<number> {
  const { organization, realm, mode } = caller
  const heads = await tx.heads(organization)
  const sequence = (heads.events.get(realm) ?? 0) + 1
  tx.write(openPosition, { realm, organization, mode, sequence, now })
  return sequence
}

/** Erases a deleted endpoint except its id. The row is removed after its deliveries were swept. */
export async function eraseEndpoint(tx: Tx, row: WebhookEndpointRow, now: number): Promise<void> {
  const { realm, id } = row
  const emptied = {
    deleted_at: now,
    url: '',
    event_types: '[]',
    status: 'deleted',
    secret: '',
    previous_secret: null,
    previous_secret_expires_at: null,
    next_due_at: null,
  }
  const left = (await tx.first(countEndpoints, { realm }))?.count ?? 0
  tx.write(updateQuery('webhook_endpoints', Object.keys(emptied)), { ...emptied, realm, id })
  if (left <= 1) tx.write(closePosition, { realm })
}

/** Reading the event log. */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { type MaybePromise, type Placeholder, query } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { idPattern, idTime } from '../../lib/ids.ts'

export const newestEvents = query((db, p: Placeholder<{ realm: number; retained_since: number; count: number }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('created', '>', p('retained_since'))
    .orderBy('sequence', 'desc')
    .limit(p('count')),
)

export const eventsBefore = query(
  (db, p: Placeholder<{ realm: number; sequence: number; retained_since: number; count: number }>) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('sequence', '<', p('sequence'))
      .where('created', '>', p('retained_since'))
      .orderBy('sequence', 'desc')
      .limit(p('count')),
)

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('events').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

/**
 * An event of the caller's realm: 404 for an unknown one, 410 for one past retention, also before it is removed.
 * `isLost` reports that the event may have been lost by a failover, which is 410 for a client that resumes at it.
 */
export async function findRetained(
  reader: Reader,
  caller: Caller,
  id: string,
  now: number,
  isLost: () => MaybePromise<boolean> = () => false,
): Promise<EventRow> {
  // Events have no other ids, and PostgreSQL refuses to look up some texts.
  if (!event_id.test(id)) throw missing()
  const row = await reader.first(byId, { realm: caller.realm, id })
  // The time comes from the id, so this works for removed events and reveals nothing about foreign ones.
  const created = row?.created ?? idTime(id)
  if (created <= now - limits.event_retention_ms) {
    throw refuse('resource_deleted', { message: 'This event is no longer retained.' })
  }
  if (row === undefined && (await isLost())) {
    const message = 'This event was lost when the database failed over. Read the current state and stream from now.'
    throw refuse('resource_deleted', { param: 'Last-Event-ID', message })
  }
  if (row === undefined) throw missing()
  return row
}

const event_id = new RegExp(idPattern('evt'))

function missing(): Error {
  return refuse('resource_not_found', { message: 'No such event.' })
}

/** Reading the event log. */
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { query } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { idPattern, idTime } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'

export const newestEvents = query((db, p) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('created', '>', p('retained_since'))
    .orderBy('sequence', 'desc')
    .limit(p('count')),
)

export const eventsBefore = query((db, p) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '<', p('sequence'))
    .where('created', '>', p('retained_since'))
    .orderBy('sequence', 'desc')
    .limit(p('count')),
)

const byId = query((db, p) =>
  db.selectFrom('events').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

/** An event of the caller's realm: 404 for one that is not, 410 for one older than the retention, removed or not yet. */
export async function findRetained(reader: Reader, caller: Caller, id: string, now: number): Promise<EventRow> {
  // No event has another id, and PostgreSQL refuses to look for some texts.
  if (!event_id.test(id)) throw missing()
  const row = await reader.first(byId, { realm: caller.realm, id })
  // An id tells its own time, so that this holds for events that were removed and says nothing of others'.
  const created = row?.created ?? idTime(id)
  if (created <= now - limits.event_retention_ms) {
    throw refuse('resource_deleted', { message: 'This event is no longer retained.' })
  }
  if (row === undefined) throw missing()
  return row
}

const event_id = new RegExp(idPattern('evt'))

function missing(): Error {
  return refuse('resource_not_found', { message: 'No such event.' })
}

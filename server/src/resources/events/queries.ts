/** Reading the event log. */
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { query } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { idTime } from '../../lib/ids.ts'
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

/** An event of the caller's realm: 404 for one that is not, 410 for an id older than the retention. */
export async function findRetained(reader: Reader, caller: Caller, id: string, now: number): Promise<EventRow> {
  if (isOlderThanRetention(id, now)) throw refuse('resource_deleted', { message: 'This event is no longer retained.' })
  const row = await reader.first(byId, { realm: caller.realm, id })
  if (row === undefined) throw refuse('resource_not_found', { message: 'No such event.' })
  return row
}

/** An id tells its own time, so that this holds for events that were removed and says nothing of others'. */
export function isOlderThanRetention(id: string, now: number): boolean {
  return /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id) && idTime(id) <= now - limits.event_retention_ms
}

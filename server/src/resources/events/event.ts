/** The event as an object of the API: retained for 30 days, never changed (decisions §10). */
import { Event } from '../../api/event-shape.ts'
import type { Noun } from '../../api/noun.ts'
import { query } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'

const byId = query((db, p) =>
  db.selectFrom('events').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export const eventNoun: Noun<EventRow, { id: string; object: string }> = {
  object: 'event',
  prefix: 'evt',
  table: 'events',
  schema: Event,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  find: async (reader, caller, reference) => {
    const row = await reader.first(byId, { realm: caller.realm, id: reference })
    // An event belongs to no workspace in the sense of the common rules: it cannot be addressed through one.
    return row as (EventRow & { workspace: string | null }) | undefined
  },
  show: (row) => ({ id: row.id, object: 'event' }),
}

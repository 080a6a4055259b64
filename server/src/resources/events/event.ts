/** The event as an object of the API: retained for 30 days, never changed (contract/10#retention). */

import type { Noun } from '../../api/declare/noun.ts'
import { Event } from '../../api/stream/shape.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
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
    // Events cannot be addressed through a workspace, so for the common rules they belong to none.
    return row as (EventRow & { workspace: string | null }) | undefined
  },
  show: (row) => ({ id: row.id, object: 'event' }),
}

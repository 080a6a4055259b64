/** Reading the event log. */
import { query } from '../../db/query.ts'

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

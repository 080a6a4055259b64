/** What a failover to an asynchronous standby does to a realm's log: its newest events are missing. */
import { type Placeholder, query } from '../src/db/query.ts'
import type { World } from './world.ts'

type LogPosition = { realm: number; sequence: number }

const removeEvents = query((db, p: Placeholder<LogPosition>) =>
  db.deleteFrom('events').where('realm', '=', p('realm')).where('sequence', '>', p('sequence')),
)
const resetHead = query((db, p: Placeholder<LogPosition>) =>
  db
    .updateTable('event_heads')
    .set({ sequence: p('sequence') })
    .where('realm', '=', p('realm')),
)

/** Removes the events of Acme's live realm after `sequence`; the next ones use their numbers. */
export async function loseEvents(world: World, sequence: number): Promise<void> {
  const place = { realm: world.acme.realms.live, sequence }
  await world.services.store.write('system', async (tx) => {
    tx.write(removeEvents, place)
    tx.write(resetHead, place)
  })
}

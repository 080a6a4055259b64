/** Ranges of a realm's event log by time. Sequences follow the order of commits; the times of events come from clocks. */
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { smallestId } from '../../lib/ids.ts'
import { limits } from '../limits.ts'

const firstFrom = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('events')
    .select('sequence')
    .where('realm', '=', p('realm'))
    .where('id', '>=', p('id'))
    .orderBy('id')
    .limit(literal(1)),
)

const lastUpTo = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('events')
    .select('sequence')
    .where('realm', '=', p('realm'))
    .where('id', '<', p('id'))
    .orderBy('id', 'desc')
    .limit(literal(1)),
)

/**
 * A sequence that no event from before `until` has reached; undefined if there may be such events up to the newest. The
 * time in an id tells it. Processes' clocks differ, so ids may rise in another order than sequences, but not by longer
 * than clocks may be apart.
 */
export async function firstAfter(reader: Reader, realm: number, until: number): Promise<number | undefined> {
  const id = smallestId('evt', until + limits.clocks_apart_ms)
  return (await reader.first(firstFrom, { realm, id }))?.sequence
}

/** A sequence that every event from `from` on is above; undefined if there may be such events from the oldest on. */
export async function lastBefore(reader: Reader, realm: number, from: number): Promise<number | undefined> {
  const id = smallestId('evt', Math.max(0, from - limits.clocks_apart_ms))
  return (await reader.first(lastUpTo, { realm, id }))?.sequence
}

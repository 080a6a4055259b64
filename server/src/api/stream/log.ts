/**
 * Reads a realm's event log after a position. A failover to an asynchronous standby, or a restore, may have lost the newest
 * events, and others use their sequences: a position includes the id of its event, and a reader finds that it is missing.
 */
import { type Placeholder, query } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'
import { idTime, smallestId } from '../../lib/ids.ts'
import { limits } from '../limits.ts'

/** A place in a realm's log. */
export interface LogPosition {
  readonly sequence: number
  /** The event at `sequence`; null before the first event, if it is past retention, and if it is not known. */
  readonly id: string | null
}

const eventsAfter = query((db, p: Placeholder<{ realm: number; sequence: number; count: number }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence')
    .limit(p('count')),
)

/** The event at a sequence, and the events after it. */
const eventsFrom = query((db, p: Placeholder<{ realm: number; sequence: number; count: number }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>=', p('sequence'))
    .orderBy('sequence')
    .limit(p('count')),
)

const lastSequence = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('event_heads').select('sequence').where('realm', '=', p('realm')),
)

const lastBefore = query((db, p: Placeholder<{ realm: number; sequence: number; id: string }>) =>
  db
    .selectFrom('events')
    .select('sequence')
    .where('realm', '=', p('realm'))
    .where('sequence', '<=', p('sequence'))
    .where('id', '<', p('id'))
    .orderBy('sequence', 'desc')
    .limit(1),
)

const recordLossQuery = query((db, p: Placeholder<{ realm: number; lost_until: number }>) =>
  db
    .insertInto('event_losses')
    .values({ realm: p('realm'), lost_until: p('lost_until') })
    .onConflict((conflict) =>
      conflict
        .column('realm')
        .doUpdateSet((eb) => ({ lost_until: eb.ref('excluded.lost_until') }))
        .where('event_losses.lost_until', '<', (eb) => eb.ref('excluded.lost_until')),
    ),
)

const findLoss = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('event_losses').select('lost_until').where('realm', '=', p('realm')),
)

/** The number of the newest event of a realm; 0 if it has none. */
export async function headOf(reader: Reader, realm: number): Promise<number> {
  return (await reader.first(lastSequence, { realm }))?.sequence ?? 0
}

/** The end of a realm's log. */
export async function endOf(reader: Reader, realm: number): Promise<LogPosition> {
  const sequence = await headOf(reader, realm)
  const row = await reader.first(eventsFrom, { realm, sequence, count: 1 })
  return { sequence, id: row?.sequence === sequence ? row.id : null }
}

/** At most `count` events after a position; null if the position's event is missing although it is retained. */
export async function eventsBehind(
  reader: Reader,
  realm: number,
  { sequence, id }: LogPosition,
  count: number,
  now: number,
): Promise<EventRow[] | null> {
  const rows = await reader.all(eventsFrom, { realm, sequence, count: count + 1 })
  const isThere = rows[0]?.sequence === sequence
  const isOther = id !== null && rows[0]?.id !== id
  if (isOther && (isThere || idTime(id) > now - limits.event_retention_ms)) return null
  return isThere ? rows.slice(1) : rows.slice(0, count)
}

export interface Followed {
  readonly events: readonly EventRow[]
  /** The position's event is missing; `events` begin before it. */
  readonly isLost: boolean
}

/**
 * At most `count` events that a follower has not seen. If events were lost, it begins again with those that may have been
 * created since, by a process whose clock is `clocks_apart_ms` behind: what it does for an event must be idempotent.
 */
export async function followLog(
  tx: Tx,
  realm: number,
  position: LogPosition,
  count: number,
  at: { readonly now: number; readonly clocks_apart_ms: number },
): Promise<Followed> {
  const isShorter = (await headOf(tx, realm)) < position.sequence
  const rows = isShorter ? null : await eventsBehind(tx, realm, position, count, at.now)
  if (rows !== null) return { events: rows, isLost: false }
  recordLoss(tx, realm, position.id === null ? at.now : Math.max(at.now, idTime(position.id)))
  const id = smallestId('evt', (position.id === null ? at.now : idTime(position.id)) - at.clocks_apart_ms)
  const common = (await tx.first(lastBefore, { realm, sequence: position.sequence, id }))?.sequence ?? 0
  return { events: await tx.all(eventsAfter, { realm, sequence: common, count }), isLost: true }
}

/** Records that events of a realm up to a time, in milliseconds, may be lost. */
export function recordLoss(tx: Tx, realm: number, lost_until: number): void {
  tx.write(recordLossQuery, { realm, lost_until })
}

/** Whether an event with this id may have been lost. */
export async function isLost(reader: Reader, realm: number, id: string): Promise<boolean> {
  const loss = await reader.first(findLoss, { realm })
  return loss !== undefined && idTime(id) <= Number(loss.lost_until)
}

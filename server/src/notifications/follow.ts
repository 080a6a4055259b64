/**
 * Keeps the inbox. It follows each realm's event log from a stored position and commits the entries together with the new
 * position: none is missing, and none is written twice. A rebuild walks over the retained log again: each entry is written
 * again under its id, and those that the walk did not meet are removed, while readers use what is there.
 */
import { sql } from 'kysely'
import { limits } from '../api/limits.ts'
import { eventsBehind, followLog, headOf, type LogPosition } from '../api/stream/log.ts'
import { type Placeholder, query, rawQuery } from '../db/query.ts'
import type { InboxPositionRow } from '../db/schema.ts'
import type { Reader, Store, Tx } from '../db/store.ts'
import { inbox_limits } from './limits.ts'
import { subscriptionsOf } from './push-plan.ts'
import { inbox_only, type Reach, sendPlan } from './send-plan.ts'
import { concernsInbox, serviceUser, tell } from './tell.ts'

export interface RealmPlace {
  readonly realm: number
  readonly organization: string
}

/** A realm, and the last event that its inbox includes. */
export interface RealmBehind extends RealmPlace {
  readonly sequence: number
}

/** Realms with events that are not processed, those first that waited longest. */
export const inboxesBehind = rawQuery(
  (p: Placeholder<{ count: number }>) => sql<RealmBehind>`select event_heads.realm as realm,
    realms.organization as organization, coalesce(inbox_positions.sequence, 0) as sequence from event_heads join realms on realms.realm = event_heads.realm
    left join inbox_positions on inbox_positions.realm = event_heads.realm
    where coalesce(inbox_positions.sequence, 0) <> event_heads.sequence
    order by coalesce(inbox_positions.looked_at, 0), event_heads.realm limit ${p('count')}`,
)

const findPosition = query<InboxPositionRow, { realm: number }>((db, p) =>
  db.selectFrom('inbox_positions').selectAll().where('realm', '=', p('realm')),
)

const storePosition = query<never, { readonly [K in keyof InboxPositionRow]: InboxPositionRow[K] }>((db, p) =>
  db
    .insertInto('inbox_positions')
    .values({
      realm: p('realm'),
      organization: p('organization'),
      sequence: p('sequence'),
      event: p('event'),
      begins: p('begins'),
      generation: p('generation'),
      rebuilt_from: p('rebuilt_from'),
      rebuilt_to: p('rebuilt_to'),
      clock_at: p('clock_at'),
      looked_at: p('looked_at'),
    })
    .onConflict((conflict) =>
      conflict.column('realm').doUpdateSet((eb) => ({
        sequence: eb.ref('excluded.sequence'),
        event: eb.ref('excluded.event'),
        generation: eb.ref('excluded.generation'),
        rebuilt_from: eb.ref('excluded.rebuilt_from'),
        rebuilt_to: eb.ref('excluded.rebuilt_to'),
        looked_at: eb.ref('excluded.looked_at'),
      })),
    ),
)

const removeOutdated = query((db, p: Placeholder<{ realm: number; from: number; to: number; generation: number }>) =>
  db
    .deleteFrom('notifications')
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('from'))
    .where('sequence', '<=', p('to'))
    .where('generation', '<', p('generation')),
)

/** What people have said by hand is not derived. */
const removeDerivedWatches = query((db, p: Placeholder<{ realm: number; from: number }>) =>
  db.deleteFrom('watches').where('realm', '=', p('realm')).where('since', '>', p('from')).where('reason', '!=', 'hand'),
)

const firstRetained = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('events').select('sequence').where('realm', '=', p('realm')).orderBy('sequence').limit(1),
)

/** What a step did. */
export interface Stepped {
  readonly events: number
  readonly entries: number
  /** The position whose event is missing. */
  readonly lost: LogPosition | null
}

/** Requests what `tellNext` reads first, so that the inboxes of one transaction are read together. */
export async function lookAhead(reader: Reader, { realm, organization, sequence }: RealmBehind): Promise<void> {
  const after = { sequence, id: null }
  await Promise.all([
    reader.first(findPosition, { realm }),
    headOf(reader, realm),
    eventsBehind(reader, realm, after, inbox_limits.inbox_events_max, 0),
    reader.first(modeOf, { realm }),
    reader.first(serviceUser, { organization }),
    subscriptionsOf(reader, organization),
  ])
}

/** Processes the next events of a realm. The organization's writes wait meanwhile, so the log does not grow. */
export async function tellNext(tx: Tx, place: RealmPlace, now: number, reach: Reach = inbox_only): Promise<Stepped> {
  const { realm } = place
  const position = (await tx.first(findPosition, { realm })) ?? newPosition(place)
  const { generation, begins } = position
  const after = { sequence: position.sequence, id: position.event }
  const at = { now, clocks_apart_ms: limits.clocks_apart_ms }
  const { events, isLost } = await followLog(tx, realm, after, inbox_limits.inbox_events_max, at)
  const mode = (await tx.first(modeOf, { realm }))?.mode ?? 'test'
  const plan = sendPlan(tx, place.organization, mode, now, reach)
  let last: LogPosition | null = null
  let entries = 0
  let done = 0
  for (const event of events) {
    if (concernsInbox(event.type))
      entries += await tell(tx, event, { generation, isSilent: event.sequence <= begins, plan, now })
    last = event
    done++
    if (entries >= inbox_limits.inbox_entries_max) break
  }
  last ??= { sequence: await headOf(tx, realm), id: null }
  const next = { ...position, sequence: last.sequence, event: last.id, looked_at: now }
  tx.write(storePosition, endRebuild(tx, next))
  return { events: done, entries, lost: isLost ? after : null }
}

const modeOf = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('realms').select('mode').where('realm', '=', p('realm')),
)

function newPosition({ realm, organization }: RealmPlace): InboxPositionRow {
  const nothing = { event: null, rebuilt_from: null, rebuilt_to: null, clock_at: 0, looked_at: 0 }
  return { realm, organization, sequence: 0, begins: 0, generation: 1, ...nothing }
}

/** When the walk has come to where the log ended at its start, entries that it did not write are removed. */
function endRebuild(tx: Tx, position: InboxPositionRow): InboxPositionRow {
  const { realm, rebuilt_from: from, rebuilt_to: to, generation, sequence } = position
  if (from === null || to === null || sequence < to) return position
  tx.write(removeOutdated, { realm, from, to, generation })
  return { ...position, rebuilt_from: null, rebuilt_to: null }
}

/** Starts a walk over the retained log of a realm; one that is under way begins again. */
export async function rebuildInbox(tx: Tx, realm: number): Promise<void> {
  const position = await tx.first(findPosition, { realm })
  if (position === undefined) return
  const first = (await tx.first(firstRetained, { realm }))?.sequence ?? position.sequence + 1
  const from = Math.min(first - 1, position.sequence)
  tx.write(removeDerivedWatches, { realm, from })
  const generation = position.generation + 1
  const to = Math.max(position.sequence, position.rebuilt_to ?? 0)
  tx.write(storePosition, { ...position, sequence: from, event: null, generation, rebuilt_from: from, rebuilt_to: to })
}

const positions = rawQuery(() => sql<RealmPlace>`select realm, organization from inbox_positions order by realm`)

/** Starts a rebuild of each realm, one transaction each: after an interruption the command is repeated. Returns how many. */
export async function rebuildInboxes(store: Pick<Store, 'reader' | 'write'>): Promise<number> {
  const found = await store.reader('system').all(positions)
  for (const { realm, organization } of found)
    await store.write({ organization, realms: [realm] }, async (tx) => await rebuildInbox(tx, realm))
  return found.length
}

/** Sequence of the last event that the inbox of a realm includes. */
export async function toldSequence(reader: Reader, realm: number): Promise<number> {
  return (await reader.first(findPosition, { realm }))?.sequence ?? 0
}

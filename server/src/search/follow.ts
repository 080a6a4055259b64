/**
 * Keeps the index of search. A realm's objects are walked once, kind by kind in id order; meanwhile and from then on the index
 * follows the event log. Each batch is one transaction with its position, so an interrupted batch is repeated. Invariant: while
 * `complete` is 1, the index has every object as of the event at `sequence`. A rebuild is a second walk: each object is written
 * again, and what the walk did not meet is removed, while searches use what is there.
 */
import { sql } from 'kysely'
import { endOf, eventsBehind, headOf } from '../api/stream/log.ts'
import { type Placeholder, query, rawQuery } from '../db/query.ts'
import { type IndexStep, indexShares, type RealmShare, type RealmToIndex, scopeOf } from '../db/realms/indexing.ts'
import type { EventRow, SearchPositionRow } from '../db/schema.ts'
import type { Reader, Store, Tx, ViewOf } from '../db/store.ts'
import { Numbers, removeOutdated, type WrittenAs, writeObjects } from './documents.ts'
import { isSourceType, source_types, sources } from './sources.ts'

/** Realms whose objects or events are not all indexed, those first that waited longest. */
export const realmsBehind = rawQuery(
  (p: Placeholder<{ count: number }>) => sql<RealmToIndex>`select event_heads.realm as realm,
    realms.organization as organization, case when search_positions.walked is null
      then event_heads.sequence - search_positions.sequence end as behind
    from event_heads join realms on realms.realm = event_heads.realm
    left join search_positions on search_positions.realm = event_heads.realm
    where search_positions.walked is not null or coalesce(search_positions.sequence, 0) <> event_heads.sequence
    order by coalesce(search_positions.looked_at, 0), event_heads.realm limit ${p('count')}`,
)

const findPosition = query<SearchPositionRow, { realm: number }>((db, p) =>
  db.selectFrom('search_positions').selectAll().where('realm', '=', p('realm')),
)

const storePosition = query<never, { readonly [K in keyof SearchPositionRow]: SearchPositionRow[K] }>((db, p) =>
  db
    .insertInto('search_positions')
    .values({
      realm: p('realm'),
      sequence: p('sequence'),
      event: p('event'),
      walked: p('walked'),
      generation: p('generation'),
      complete: p('complete'),
      looked_at: p('looked_at'),
    })
    .onConflict((conflict) =>
      conflict.column('realm').doUpdateSet((eb) => ({
        sequence: eb.ref('excluded.sequence'),
        event: eb.ref('excluded.event'),
        walked: eb.ref('excluded.walked'),
        generation: eb.ref('excluded.generation'),
        complete: eb.ref('excluded.complete'),
        looked_at: eb.ref('excluded.looked_at'),
      })),
    ),
)

/** On PostgreSQL processes take turns: documents are numbered over all realms. Held until the end of the transaction. */
const takeTurn = rawQuery(
  () => sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtext('atrium search index')) as taken`,
)

/** Indexes the next events of a realm, and the next objects of its walk. Returns how many. */
export async function indexNext(tx: Tx, realm: number, count: number, now: number): Promise<number> {
  const views = () => tx
  return await indexAcross(views, [{ realm, organization: '', count }], { now, numbersRealms: false })
}

/** The same for several realms in one transaction. */
export async function indexAcross(viewOf: ViewOf, shares: readonly RealmShare[], step: IndexStep): Promise<number> {
  const [first] = shares
  if (first === undefined || !(await hasTurn(viewOf(scopeOf(first))))) return 0
  const numbers = new Numbers(step.numbersRealms)
  return await indexShares(viewOf, shares, (tx, share) => indexRealm(tx, share, numbers, step))
}

async function hasTurn(tx: Tx): Promise<boolean> {
  return tx.dialect === 'sqlite' || (await tx.first(takeTurn))?.taken === true
}

async function indexRealm(tx: Tx, { realm, count }: RealmShare, numbers: Numbers, { now }: IndexStep): Promise<number> {
  const known = await tx.first(findPosition, { realm })
  const position = known ?? (await startOfWalk(tx, realm, null))
  const events = await eventsAfter(tx, position, count, now)
  if (events === null) {
    // Unread events are past retention, or the log was cut: all objects are walked again.
    tx.write(storePosition, { ...(await startOfWalk(tx, realm, position)), complete: 0, looked_at: now })
    return 1
  }
  const written: WrittenAs = { realm, numbers, generation: position.generation, isForced: position.walked !== null }
  await indexEvents(tx, written, events)
  const last = events.at(-1) ?? { sequence: position.sequence, id: position.event }
  const next = { ...position, sequence: last.sequence, event: last.id, looked_at: now }
  if (position.walked === null) {
    tx.write(storePosition, next)
    return events.length
  }
  const walked = await walk(tx, written, position.walked, count)
  tx.write(storePosition, { ...next, walked, complete: walked === null ? 1 : position.complete })
  return events.length + count
}

async function startOfWalk(tx: Tx, realm: number, before: SearchPositionRow | null): Promise<SearchPositionRow> {
  const { sequence, id } = await endOf(tx, realm)
  const generation = (before?.generation ?? 0) + 1
  return { realm, sequence, event: id, walked: '', generation, complete: before?.complete ?? 0, looked_at: 0 }
}

/** The next events; null if some are missing. */
async function eventsAfter(
  tx: Tx,
  { realm, sequence, event }: SearchPositionRow,
  count: number,
  now: number,
): Promise<EventRow[] | null> {
  const head = await headOf(tx, realm)
  if (head < sequence) return null
  const events = await eventsBehind(tx, realm, { sequence, id: event }, count, now)
  if (events === null || head === sequence) return events
  return events[0]?.sequence === sequence + 1 ? events : null
}

async function indexEvents(tx: Tx, written: WrittenAs, events: readonly EventRow[]): Promise<void> {
  const ids = Map.groupBy(
    events.filter(({ object }) => isSourceType(object)),
    ({ object }) => object,
  )
  for (const type of source_types) {
    const changed = [...new Set(ids.get(type)?.map(({ object_id }) => object_id))]
    await writeObjects(tx, written, type, await sources[type].byId(tx, written.realm, changed))
  }
}

/** Walks on from a place over about `count` objects. Returns the next place: the number of a kind and an id; null at the end. */
async function walk(tx: Tx, written: WrittenAs, from: string, count: number): Promise<string | null> {
  let [step, id] = from === '' ? [0, ''] : (JSON.parse(from) as [number, string])
  for (let left = count; left > 0; ) {
    const type = source_types[step]
    // After the last kind, documents that the walk did not write are removed.
    if (type === undefined) return (await removeOutdated(tx, written, left)) < left ? null : JSON.stringify([step, ''])
    const rows = await sources[type].after(tx, written.realm, id, left)
    await writeObjects(tx, written, type, rows)
    if (rows.length < left) [step, id] = [step + 1, '']
    else id = rows.at(-1)?.id ?? id
    left -= rows.length
  }
  return JSON.stringify([step, id])
}

/** Starts a walk over all objects of a realm; one that is under way begins again. Searches go on with what is indexed. */
export async function rebuildIndex(tx: Tx, realm: number): Promise<void> {
  const position = await tx.first(findPosition, { realm })
  if (position !== undefined) tx.write(storePosition, { ...position, walked: '', generation: position.generation + 1 })
}

/** How far the index of a realm is. */
export interface IndexProgress {
  /** The last event that the index includes; 0 before it is complete for the first time. */
  readonly indexed: number
  /** The newest event. */
  readonly head: number
}

export async function indexProgress(reader: Reader, realm: number): Promise<IndexProgress> {
  const position = await reader.first(findPosition, { realm })
  return { indexed: position?.complete === 1 ? position.sequence : 0, head: await headOf(reader, realm) }
}

export const indexStatus = rawQuery(
  () => sql<{ realms: number; walking: number; behind: number }>`select count(*) as realms,
    coalesce(sum(case when search_positions.walked is not null or search_positions.realm is null then 1 else 0 end), 0)
      as walking,
    coalesce(sum(case when search_positions.sequence < event_heads.sequence
      then event_heads.sequence - search_positions.sequence else 0 end), 0) as behind
    from event_heads left join search_positions on search_positions.realm = event_heads.realm
    where event_heads.sequence > 0`,
)

const indexedRealms = rawQuery(() => sql<{ realm: number }>`select realm from search_positions order by realm`)

/** Starts a rebuild of each realm, one transaction each: after an interruption the command is repeated. Returns how many. */
export async function rebuildAll(store: Pick<Store, 'reader' | 'write'>): Promise<number> {
  const found = await store.reader('system').all(indexedRealms)
  for (const { realm } of found) await store.write('system', async (tx) => await rebuildIndex(tx, realm))
  return found.length
}

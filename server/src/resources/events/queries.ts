/** Reading the event log. */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { limits } from '../../api/limits.ts'
import { firstAfter, lastBefore } from '../../api/stream/log-range.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type AnyValues, type MaybePromise, type Placeholder, query, shapedQuery } from '../../db/query.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { idPattern, idTime } from '../../lib/ids.ts'

/** What a page of the event list selects. Times are in milliseconds. */
export interface EventCriteria {
  /** Exact types. */
  readonly types?: readonly string[] | undefined
  /** The id of the changed object. */
  readonly object?: string | undefined
  /** The earliest time included. */
  readonly from: number
  /** The first time excluded. */
  readonly until?: number | undefined
  /** Only events before this sequence. */
  readonly before?: number | undefined
}

/**
 * At most `count` events, latest first. Each part reads one index from its newest entry backwards: the log, the events of
 * an object, or those of each type, whose newest are merged. So the cost does not grow with the events that do not match.
 */
export async function readEvents(
  reader: Reader,
  realm: number,
  criteria: EventCriteria,
  count: number,
): Promise<EventRow[]> {
  const { types, object, from, until, before } = criteria
  const above = await lastBefore(reader, realm, from)
  const latest = until === undefined ? undefined : await firstAfter(reader, realm, until)
  const below = latest === undefined ? before : Math.min(latest, before ?? latest)
  // An object has few types, so its events are read by the object and the types only compared.
  const perType = object === undefined && types !== undefined
  const forms = [
    object && 'object',
    above !== undefined && 'above',
    until !== undefined && 'until',
    below !== undefined && 'below',
  ]
  const shape = `events ${forms.join()} ${types === undefined ? '' : perType ? types.length : 'types'}`
  const page = shapedQuery<EventRow, AnyValues>(shape, (db, p, dialect) => {
    const part = (type?: string) => {
      let select = db.selectFrom('events').where('realm', '=', p('realm')).where('created', '>=', p('from'))
      if (type !== undefined) select = select.where('type', '=', p(type))
      if (object !== undefined) select = select.where('object_id', '=', p('object'))
      if (object !== undefined && types !== undefined) select = select.where(isOneOf(dialect, 'type', p('types')))
      if (until !== undefined) select = select.where('created', '<', p('until'))
      if (above !== undefined) select = select.where('sequence', '>', p('above'))
      if (below !== undefined) select = select.where('sequence', '<', p('below'))
      return select.orderBy('sequence', 'desc').limit(p('count'))
    }
    if (!perType) return part().selectAll()
    const parts = types.map((_, i) =>
      db.selectFrom(part(`type${i}`).select('sequence').as(`part${i}`)).select('sequence'),
    )
    const [first, ...others] = parts
    const merged = others.reduce((union, each) => union.unionAll(each) as typeof union, first as (typeof parts)[number])
    const newest = db.selectFrom(merged.as('merged')).select('sequence').orderBy('sequence', 'desc').limit(p('count'))
    return db
      .selectFrom('events')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('sequence', 'in', newest)
      .orderBy('sequence', 'desc')
  })
  const values: Record<string, unknown> = { realm, from, until, above, below, count, object }
  if (perType) for (const [i, type] of types.entries()) values[`type${i}`] = type
  else if (types !== undefined) values.types = JSON.stringify(types)
  return await reader.all(page, values as AnyValues)
}

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('events').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

/**
 * An event of the caller's realm: 404 for an unknown one, 410 for one past retention, also before it is removed.
 * `isLost` reports that the event may have been lost by a failover, which is 410 for a client that resumes at it.
 */
export async function findRetained(
  reader: Reader,
  caller: Caller,
  id: string,
  now: number,
  isLost: () => MaybePromise<boolean> = () => false,
): Promise<EventRow> {
  // Events have no other ids, and PostgreSQL refuses to look up some texts.
  if (!event_id.test(id)) throw missing()
  const row = await reader.first(byId, { realm: caller.realm, id })
  // The time comes from the id, so this works for removed events and reveals nothing about foreign ones.
  const created = row?.created ?? idTime(id)
  if (created <= now - limits.event_retention_ms) {
    throw refuse('resource_deleted', { message: 'This event is no longer retained.' })
  }
  if (row === undefined && (await isLost())) {
    const message = 'This event was lost when the database failed over. Read the current state and stream from now.'
    throw refuse('resource_deleted', { param: 'Last-Event-ID', message })
  }
  if (row === undefined) throw missing()
  return row
}

const event_id = new RegExp(idPattern('evt'))

function missing(): Error {
  return refuse('resource_not_found', { message: 'No such event.' })
}

/**
 * Walking along an index of tasks, in the order of a segment, past those that the other conditions refuse. On SQLite, whose
 * statements hold up the process, it goes slice by slice: the index alone tells where a slice ends, then the statement
 * is asked for what lies before it.
 * Invariant: rows that stand throughout with an unchanged place in the order are met exactly once.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, primaryIndex, readBy } from '../../db/dialect.ts'
import { literal, type Placeholder, shapedQuery, type Value } from '../../db/query.ts'
import { type Reader, StoreUnavailable } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'
import { Slices } from '../../lib/turns.ts'
import { indexes, type Narrowing } from './narrow.ts'
import {
  type Asked,
  compose,
  type PlacedRow,
  type Restriction,
  restrictionsOf,
  type Shown,
  type TaskQuestion,
} from './queries-list.ts'
import { besideSql, placeIn, type Segment, segmentColumns, segmentOrder, segmentSql } from './segments.ts'
import type { SortValue } from './sort.ts'

/** What is walked along, and how. */
export interface Along {
  readonly realm: number
  readonly question: TaskQuestion
  readonly shown: Shown
  /** Whose index is walked, in the order of ids; none: the index of the segment's column. */
  readonly by: Narrowing | null
  /** What bounds the segment's own column. */
  readonly bounds: Narrowing | null
  /** Hardly a row is passed over: one statement. */
  readonly whole: boolean
  /** One statement too, because other work of the process must not come between. */
  readonly at_once: boolean
  /** Rows of the first slice. */
  readonly slice_min: number
}

/** Tasks that were found, in order. One that moved while the list was read is there once. */
export class Found {
  rows: PlacedRow[] = []
  /** Made when rows of a second statement come; no statement has a task twice. */
  private ids: Set<string> | null = null

  get size(): number {
    return this.rows.length
  }

  /** Adds what one statement found, up to `count`. */
  add(rows: PlacedRow[], count: number): void {
    if (this.rows.length === 0) {
      this.rows = rows.length > count ? rows.slice(0, count) : rows
      return
    }
    this.ids ??= new Set(this.rows.map((row) => row.id))
    for (const row of rows) {
      if (this.rows.length >= count) return
      if (this.ids.has(row.id)) continue
      this.ids.add(row.id)
      this.rows.push(row)
    }
  }

  clear(): void {
    this.rows = []
    this.ids = null
  }
}

/**
 * The first `count` tasks of the segments that are not in `found` yet, put into it by their ids. When the first slice did
 * not bring all of them `isBetter` is asked, once, whether there is a better way: then what was found is incomplete.
 */
export async function readAlong(
  reader: Reader,
  along: Along,
  segments: readonly Segment[],
  found: Found,
  count: number,
  isBetter: () => Promise<boolean> = async () => false,
): Promise<void> {
  const slices = slicesOf(reader, along)
  let isFirst = true
  for (const segment of segments) {
    if (found.size >= count) return
    if (!holdsAny(segment, along.bounds)) continue
    let after = segment.after
    for (;;) {
      const until = slices === null ? null : await sliceEnd(reader, along, { ...segment, after }, slices.size)
      const wanted = count - found.size
      const asked = pageAlong(along, { ...segment, after }, until, wanted)
      const rows = await reader.all(asked.query, asked.values)
      found.add(rows, count)
      if (found.size >= count) return
      const last = rows.at(-1)
      // A task that moved while the walk went on fills no place twice.
      if (rows.length === wanted && last !== undefined) after = placeIn(segment, last)
      else if (until === null) break
      else after = until
      if (isFirst && (await isBetter())) return
      isFirst = false
      await pause(slices)
    }
  }
}

/** How many tasks the question finds. A task that is changed meanwhile is counted as it was when its turn came. */
export async function countAlong(reader: Reader, along: Along): Promise<number> {
  const slices = slicesOf(reader, along)
  let segment: Segment = { column: null, holds: 'all', is_descending: false, after: null }
  let count = 0
  for (;;) {
    const until = slices === null ? null : await sliceEnd(reader, along, segment, slices.size)
    const asked = countOfSlice(along, segment, until)
    count += (await reader.first(asked.query, asked.values))?.count ?? 0
    if (until === null) return count
    segment = { ...segment, after: until }
    await pause(slices)
  }
}

/** Whether a walk goes slice by slice. */
export function isSliced(reader: Reader, { whole, at_once }: Along): boolean {
  return !whole && !at_once && reader.dialect === 'sqlite'
}

function slicesOf(reader: Reader, along: Along): Slices | null {
  if (!isSliced(reader, along)) return null
  const { slice_min } = along
  const { list_slice_max, list_slice_ms, statement_ms } = limits
  return new Slices(slice_min, list_slice_max, list_slice_ms, statement_ms)
}

async function pause(slices: Slices | null): Promise<void> {
  if (slices !== null && !(await slices.next())) throw new StoreUnavailable('a list took too long')
}

function holdsAny({ holds }: Segment, bounds: Narrowing | null): boolean {
  return bounds === null || holds === 'all' || (holds === 'null') === (bounds.of_null === true)
}

type Bound = readonly SortValue[]

function pageAlong(along: Along, segment: Segment, until: Bound | null, count: number): Asked<PlacedRow> {
  const { filter } = along.question
  const shape = `along ${along.shown.shape} ${sourceShape(along, segment)} ${count}`
  return compose(restrictionsAlong(along, segment, until), filter, shape, (where, _, dialect) => {
    const order = segmentOrder(segment, idOf(along))
    const from = source(along, segment, dialect)
    return sql`select ${along.shown.columns} from ${from} where ${where} order by ${order} limit ${literal(count)}`
  })
}

function countOfSlice(along: Along, segment: Segment, until: Bound | null): Asked<{ count: number }> {
  const { filter } = along.question
  const shape = `count along ${sourceShape(along, segment)}`
  return compose(restrictionsAlong(along, segment, until), filter, shape, (where, _, dialect) => {
    return sql`select count(*) as count from ${source(along, segment, dialect)} where ${where}`
  })
}

function restrictionsAlong(along: Along, segment: Segment, until: Bound | null): Restriction[] {
  const { realm, question, by } = along
  const restrictions = restrictionsOf(realm, question)
  if (by !== null) restrictions.push(isBy(by))
  restrictions.push(...placed(along, segment, until))
  return restrictions
}

/** That the row is in the segment and between two places. */
function placed(along: Along, segment: Segment, until: Bound | null): Restriction[] {
  const restrictions: Restriction[] = []
  const inside = segmentSql(segment)
  if (inside !== null) restrictions.push({ shape: segment.holds, values: {}, sql: () => inside })
  for (const [side, place] of [['after', segment.after] as const, ['until', until] as const]) {
    if (place === null) continue
    const names = place.map((_, i) => `${side}_${i}`)
    restrictions.push({
      shape: `${side}${place.length}`,
      values: Object.fromEntries(names.map((name, i) => [name, place[i] as Value])),
      sql: (bind) => besideSql(segment, side, names.map(bind), idOf(along)),
    })
  }
  return restrictions
}

/** That the row is the narrowing's, said of the table that it is walked along. */
function isBy(by: Narrowing): Restriction {
  return {
    shape: `by ${by.table} ${by.shape}`,
    values: by.values,
    sql(bind, dialect) {
      const is = by.sql((column) => sql.ref(`${by.table}.${column}`), bind, dialect, by.table)
      if (by.table === 'tasks') return is
      const joined = sql`task_terms.realm = ${bind('realm')} and tasks.id = task_terms.task`
      return sql<SqlBool>`${joined} and ${is}`
    },
  }
}

function sourceShape({ by }: Along, { column, is_descending }: Segment): string {
  return `${by === null ? '' : by.table + by.on} ${column} ${is_descending}`
}

function source({ by }: Along, { column }: Segment, dialect: Dialect): RawBuilder<unknown> {
  if (by?.table === 'task_terms') {
    // SQLite keeps the order of a CROSS JOIN.
    return sql`task_terms cross join ${readBy(dialect, sql`tasks`, primaryIndex('tasks'))}`
  }
  return readBy(dialect, sql`tasks`, indexOf(by, column))
}

function indexOf(by: Narrowing | null, column: Segment['column']): string {
  if (by !== null && by.index !== null) return by.index
  return column === null || column === 'id' ? primaryIndex('tasks') : (indexes[column] as string)
}

function idOf({ by }: Along): RawBuilder<unknown> {
  return sql.ref(by?.table === 'task_terms' ? 'task_terms.task' : 'tasks.id')
}

/** Where the slice of `size` rows of the index ends; null when that many do not come any more. */
async function sliceEnd(reader: Reader, along: Along, segment: Segment, size: number): Promise<Bound | null> {
  const { by, bounds, realm } = along
  const parts = [...placed(along, segment, null)]
  if (by !== null) parts.push(isInIndex(by))
  else if (bounds !== null) parts.push(isInIndex(bounds))
  const values: Record<string, Value> = { realm, skip: size - 1 }
  for (const part of parts) Object.assign(values, part.values)
  const shape = parts.map((part) => part.shape).join(' ')
  const query = shapedQuery<{ place: Value; id: string }>(
    `slice ${sourceShape(along, segment)} ${shape}`,
    (db, bind, dialect) => ({ compile: () => sliceText(along, segment, parts, bind, dialect).compile(db) }) as never,
  )
  const row = await reader.first(query, values)
  if (row === undefined) return null
  return segment.column === null || segment.holds === 'null' ? [row.id] : [row.place, row.id]
}

/** Of the index alone: no row of the table is read. */
function isInIndex(narrowing: Narrowing): Restriction {
  const of = (column: string) => sql.ref(`${narrowing.table}.${column}`)
  return {
    shape: `in ${narrowing.table} ${narrowing.shape}`,
    values: narrowing.values,
    sql: (bind, dialect) => narrowing.sql(of, bind, dialect, narrowing.table),
  }
}

function sliceText(
  along: Along,
  segment: Segment,
  parts: readonly Restriction[],
  bind: Placeholder,
  dialect: Dialect,
): RawBuilder<unknown> {
  const id = idOf(along)
  const isOfTerm = along.by?.table === 'task_terms'
  const table = isOfTerm ? 'task_terms' : 'tasks'
  const from = isOfTerm ? sql`task_terms` : source(along, segment, dialect)
  const conditions = [
    sql`${sql.ref(`${table}.realm`)} = ${bind('realm')}`,
    ...parts.map((part) => part.sql(bind, dialect)),
  ]
  const [place] = segmentColumns(segment, id)
  return sql`select ${place} as place, ${id} as id from ${from} where ${sql.join(conditions, sql` and `)}
    order by ${segmentOrder(segment, id)} limit 1 offset ${bind('skip')}`
}

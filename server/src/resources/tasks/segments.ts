/**
 * An order of tasks by one column as one or two ranges of its index, each read with a plain row comparison: the rows with
 * a value, then those without (decisions §6, nulls last; backwards the reverse). Neither engine finds a position in an
 * index through `value > ? or value is null`.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type SortColumnName, type SortKey, type SortValue, sortColumns } from './sort.ts'

export interface Segment {
  /** None: by id alone. */
  readonly column: SortColumnName | null
  /** The rows with a value, those without, or all of a column that always has one. */
  readonly holds: 'value' | 'null' | 'all'
  readonly is_descending: boolean
  /**
   * Strictly behind this place, by the first or by all columns of `segmentColumns`; none: from the start. Values of a
   * segment of nulls are ids.
   */
  readonly after: readonly SortValue[] | null
}

/** Where to begin: behind a row, or with its id left out, behind all rows with its value. */
export interface Place {
  readonly value: SortValue
  readonly id?: string
}

/** The segments of an order by id, or by a key and then by id, from a place on. */
export function segmentsOf(key: SortKey | null, backwards: boolean, place: Place | null): Segment[] {
  const [first] = sortColumns(key === null ? [] : [key])
  if (first === undefined) return []
  const is_descending = first.is_descending !== backwards
  const id = place?.id === undefined ? [] : [place.id]
  if (key === null) return [{ column: null, holds: 'all', is_descending, after: place === null ? null : id }]
  const segment = { column: first.column, is_descending }
  const afterValue = place === null ? null : [place.value, ...id]
  if (!first.is_nullable) return [{ ...segment, holds: 'all', after: afterValue }]
  const values: Segment = { ...segment, holds: 'value', after: null }
  const nulls: Segment = { ...segment, holds: 'null', after: null }
  const order = backwards ? [nulls, values] : [values, nulls]
  if (place === null) return order
  if (place.value !== null) return [{ ...values, after: afterValue }, ...(backwards ? [] : [nulls])]
  const rest = id.length === 0 ? [] : [{ ...nulls, after: id }]
  return backwards ? [...rest, values] : rest
}

/** What a segment is ordered by; `id` is the id's column in the index that is walked. */
export function segmentColumns({ column, holds }: Segment, id: RawBuilder<unknown>): RawBuilder<unknown>[] {
  return column === null || holds === 'null' ? [id] : [columnRef(column), id]
}

/** The condition of a segment's rows, without its place. */
export function segmentSql({ column, holds }: Segment): RawBuilder<SqlBool> | null {
  if (column === null || holds === 'all') return null
  return holds === 'null' ? sql<SqlBool>`${columnRef(column)} is null` : sql<SqlBool>`${columnRef(column)} is not null`
}

/** ORDER BY. The column stands there where it is null too: PostgreSQL takes the index's order only so. */
export function segmentOrder({ column, is_descending }: Segment, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = column === null ? [id] : [columnRef(column), id]
  return sql.join(columns.map((each) => sql`${each} ${is_descending ? sql`desc` : sql`asc`}`))
}

/** Rows behind a place (`after`), or up to and with it (`until`). */
export function besideSql(
  segment: Segment,
  side: 'after' | 'until',
  place: readonly RawBuilder<unknown>[] | readonly unknown[],
  id: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const columns = segmentColumns(segment, id).slice(0, place.length)
  const beyond = segment.is_descending ? sql`<` : sql`>`
  const within = segment.is_descending ? sql`>=` : sql`<=`
  const sign = side === 'after' ? beyond : within
  if (columns.length === 1) return sql<SqlBool>`${columns[0]} ${sign} ${place[0]}`
  return sql<SqlBool>`(${sql.join(columns)}) ${sign} (${sql.join([...place])})`
}

/** Where a row stands in a segment. */
export function placeIn(segment: Segment, row: Readonly<Record<string, unknown>>): SortValue[] {
  const id = row.id as string
  return segment.column === null || segment.holds === 'null' ? [id] : [row[segment.column] as SortValue, id]
}

function columnRef(column: SortColumnName): RawBuilder<unknown> {
  return sql.ref(`tasks.${column}`)
}

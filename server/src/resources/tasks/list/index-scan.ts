/**
 * Scans an index of tasks in order and skips the tasks that other conditions exclude.
 *
 * A sort order is one or two segments of an index: the rows with a value, then the rows without one (backwards the
 * reverse). Each segment is read with a plain row comparison, because neither engine finds a position in an index through
 * `value > ? or value is null`. On SQLite, where a statement blocks the process, a scan runs in slices: the index alone
 * shows where a slice ends, then the statement reads up to that position.
 * Invariant: a row whose position does not change during the scan is read exactly once.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, primaryIndex, readBy } from '../../../db/dialect.ts'
import { db_limits } from '../../../db/limits.ts'
import { type ComposedPlaceholder, literal, shapedQuery, type Value } from '../../../db/query.ts'
import { type Reader, StoreUnavailable } from '../../../db/store.ts'
import { Slices } from '../../../lib/turns.ts'
import { type ColumnPath, indexes } from './access-path.ts'
import type { SortableRow, TaskCriteria } from './criteria.ts'
import { type BoundQuery, compose, conditionsOf, type ShownColumns, type SqlCondition } from './queries.ts'
import { type SortColumnName, type SortKey, type SortValue, sortColumns } from './sort.ts'

export interface Segment {
  /** Null for the order by id. */
  readonly column: SortColumnName | null
  /** The rows with a value, those without one, or all rows of a column that is never null. */
  readonly content: 'value' | 'null' | 'all'
  readonly is_descending: boolean
  /** Read strictly after this position, given by the first or all of `segmentColumns`. Null: from the start. */
  readonly after: readonly SortValue[] | null
}

/** Begin after a row or, without `id`, after all rows with the value. */
export interface SegmentStart {
  readonly value: SortValue
  readonly id?: string
}

/** The segments of an order by id, or by a key and then id, after a start. */
export function segmentsOf(key: SortKey | null, backwards: boolean, start: SegmentStart | null): Segment[] {
  const [first] = sortColumns(key === null ? [] : [key])
  if (first === undefined) return []
  const is_descending = first.is_descending !== backwards
  const id = start?.id === undefined ? [] : [start.id]
  if (key === null) return [{ column: null, content: 'all', is_descending, after: start === null ? null : id }]
  const segment = { column: first.column, is_descending }
  const afterValue = start === null ? null : [start.value, ...id]
  if (!first.is_nullable) return [{ ...segment, content: 'all', after: afterValue }]
  const values: Segment = { ...segment, content: 'value', after: null }
  const nulls: Segment = { ...segment, content: 'null', after: null }
  const order = backwards ? [nulls, values] : [values, nulls]
  if (start === null) return order
  if (start.value !== null) return [{ ...values, after: afterValue }, ...(backwards ? [] : [nulls])]
  const rest = id.length === 0 ? [] : [{ ...nulls, after: id }]
  return backwards ? [...rest, values] : rest
}

/** The columns that order a segment; `id` is the id's column in the scanned index. */
function segmentColumns({ column, content }: Segment, id: RawBuilder<unknown>): RawBuilder<unknown>[] {
  return column === null || content === 'null' ? [id] : [columnRef(column), id]
}

/** The condition that a row belongs to the segment, without its position. */
function segmentSql({ column, content }: Segment): RawBuilder<SqlBool> | null {
  if (column === null || content === 'all') return null
  return content === 'null'
    ? sql<SqlBool>`${columnRef(column)} is null`
    : sql<SqlBool>`${columnRef(column)} is not null`
}

/** ORDER BY. Includes the column even where it is null; otherwise PostgreSQL does not use the index's order. */
function segmentOrder({ column, is_descending }: Segment, id: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = column === null ? [id] : [columnRef(column), id]
  return sql.join(columns.map((each) => sql`${each} ${is_descending ? sql`desc` : sql`asc`}`))
}

/** Rows after a position (`after`), or up to and including it (`until`). */
function comparisonSql(
  segment: Segment,
  side: 'after' | 'until',
  position: readonly RawBuilder<unknown>[] | readonly unknown[],
  id: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  const columns = segmentColumns(segment, id).slice(0, position.length)
  const beyond = segment.is_descending ? sql`<` : sql`>`
  const within = segment.is_descending ? sql`>=` : sql`<=`
  const sign = side === 'after' ? beyond : within
  if (columns.length === 1) return sql<SqlBool>`${columns[0]} ${sign} ${position[0]}`
  return sql<SqlBool>`(${sql.join(columns)}) ${sign} (${sql.join([...position])})`
}

/** The position of a row in a segment. */
function positionIn(segment: Segment, row: Readonly<Record<string, unknown>>): SortValue[] {
  const id = row.id as string
  return segment.column === null || segment.content === 'null' ? [id] : [row[segment.column] as SortValue, id]
}

function columnRef(column: SortColumnName): RawBuilder<unknown> {
  return sql.ref(`tasks.${column}`)
}

/** An index scan: which index, which rows, and how. */
export interface IndexScan {
  readonly realm: number
  readonly criteria: TaskCriteria
  readonly shown: ShownColumns
  /** Scan the index of this path, in id order. Null: the index of the segment's column. */
  readonly path: ColumnPath | null
  /** A condition on the segment's own column. */
  readonly bounds: ColumnPath | null
  /** Few rows are skipped, so one statement is enough. */
  readonly is_single_statement: boolean
  /** Also one statement: other work of the process must not run in between. */
  readonly is_uninterrupted: boolean
  /** Number of rows in the first slice. */
  readonly slice_min: number
}

/** The tasks of a page in order. A task that moved during the scan is kept once. */
export class PageBuffer {
  rows: SortableRow[] = []
  /** Created for the second statement: a single statement returns no task twice. */
  private ids: Set<string> | null = null

  get size(): number {
    return this.rows.length
  }

  /** Adds the rows of a statement, up to `count` in all. */
  add(rows: SortableRow[], count: number): void {
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
 * Fills `buffer` up to `count` tasks from the segments. If the first slice does not fill it, `tryOther` is called once;
 * when it returns true it has filled the buffer itself, and the scan ends.
 */
export async function scanPage(
  reader: Reader,
  scan: IndexScan,
  segments: readonly Segment[],
  buffer: PageBuffer,
  count: number,
  tryOther: () => Promise<boolean> = async () => false,
): Promise<void> {
  const slices = createSlices(reader, scan)
  let isFirst = true
  for (const segment of segments) {
    if (buffer.size >= count) return
    if (!canMatch(segment, scan.bounds)) continue
    let after = segment.after
    for (;;) {
      const until = slices === null ? null : await findSliceEnd(reader, scan, { ...segment, after }, slices.size)
      const wanted = count - buffer.size
      const asked = pageStatement(scan, { ...segment, after }, until, wanted)
      const rows = await reader.all(asked.query, asked.values)
      buffer.add(rows, count)
      if (buffer.size >= count) return
      const last = rows.at(-1)
      // A full statement may still leave room: a task that moved during the scan was dropped.
      if (rows.length === wanted && last !== undefined) after = positionIn(segment, last)
      else if (until === null) break
      else after = until
      if (isFirst && (await tryOther())) return
      isFirst = false
      await pause(slices)
    }
  }
}

/** Counts the matching tasks. A task that changes during the count is counted as it was when its slice was read. */
export async function scanCount(reader: Reader, scan: IndexScan): Promise<number> {
  const slices = createSlices(reader, scan)
  let segment: Segment = { column: null, content: 'all', is_descending: false, after: null }
  let count = 0
  for (;;) {
    const until = slices === null ? null : await findSliceEnd(reader, scan, segment, slices.size)
    const asked = countStatement(scan, segment, until)
    count += (await reader.first(asked.query, asked.values))?.count ?? 0
    if (until === null) return count
    segment = { ...segment, after: until }
    await pause(slices)
  }
}

/** Whether a scan runs in slices. */
export function isSlicedScan(reader: Reader, { is_single_statement, is_uninterrupted }: IndexScan): boolean {
  return !is_single_statement && !is_uninterrupted && reader.dialect === 'sqlite'
}

function createSlices(reader: Reader, scan: IndexScan): Slices | null {
  if (!isSlicedScan(reader, scan)) return null
  const { slice_min } = scan
  const { list_slice_max, list_slice_ms, statement_ms } = db_limits
  return new Slices(slice_min, list_slice_max, list_slice_ms, statement_ms)
}

async function pause(slices: Slices | null): Promise<void> {
  if (slices !== null && !(await slices.next())) throw new StoreUnavailable('a list took too long')
}

function canMatch({ content }: Segment, bounds: ColumnPath | null): boolean {
  return bounds === null || content === 'all' || (content === 'null') === (bounds.is_null === true)
}

type ScanPosition = readonly SortValue[]

function pageStatement(
  scan: IndexScan,
  segment: Segment,
  until: ScanPosition | null,
  count: number,
): BoundQuery<SortableRow> {
  const { filter } = scan.criteria
  const shape = `along ${scan.shown.shape} ${sourceShape(scan, segment)} ${count}`
  return compose(scanConditions(scan, segment, until), filter, shape, (where, _, dialect) => {
    const order = segmentOrder(segment, idOf(scan))
    const from = source(scan, segment, dialect)
    return sql`select ${scan.shown.columns} from ${from} where ${where} order by ${order} limit ${literal(count)}`
  })
}

function countStatement(scan: IndexScan, segment: Segment, until: ScanPosition | null): BoundQuery<{ count: number }> {
  const { filter } = scan.criteria
  const shape = `count along ${sourceShape(scan, segment)}`
  return compose(scanConditions(scan, segment, until), filter, shape, (where, _, dialect) => {
    return sql`select count(*) as count from ${source(scan, segment, dialect)} where ${where}`
  })
}

function scanConditions(scan: IndexScan, segment: Segment, until: ScanPosition | null): SqlCondition[] {
  const { realm, criteria, path } = scan
  const restrictions = conditionsOf(realm, criteria)
  if (path !== null) restrictions.push(pathCondition(path))
  restrictions.push(...positionConditions(scan, segment, until))
  return restrictions
}

/** Conditions that the row is in the segment and between two positions. */
function positionConditions(scan: IndexScan, segment: Segment, until: ScanPosition | null): SqlCondition[] {
  const restrictions: SqlCondition[] = []
  const inside = segmentSql(segment)
  if (inside !== null) restrictions.push({ shape: segment.content, values: {}, sql: () => inside })
  for (const [side, place] of [['after', segment.after] as const, ['until', until] as const]) {
    if (place === null) continue
    const names = place.map((_, i) => `${side}_${i}`)
    restrictions.push({
      shape: `${side}${place.length}`,
      values: Object.fromEntries(names.map((name, i) => [name, place[i] as Value])),
      sql: (bind) => comparisonSql(segment, side, names.map(bind), idOf(scan)),
    })
  }
  return restrictions
}

/** The condition of the access path, on the scanned table. */
function pathCondition(path: ColumnPath): SqlCondition {
  return {
    shape: `by ${path.table} ${path.shape}`,
    values: path.values,
    sql(bind, dialect) {
      const is = path.sql((column) => sql.ref(`${path.table}.${column}`), bind, dialect, path.table)
      if (path.table === 'tasks') return is
      const joined = sql`task_terms.realm = ${bind('realm')} and tasks.id = task_terms.task`
      return sql<SqlBool>`${joined} and ${is}`
    },
  }
}

function sourceShape({ path }: IndexScan, { column, is_descending }: Segment): string {
  return `${path === null ? '' : path.table + path.column} ${column} ${is_descending}`
}

function source({ path }: IndexScan, { column }: Segment, dialect: Dialect): RawBuilder<unknown> {
  if (path?.table === 'task_terms') {
    // SQLite does not reorder a CROSS JOIN.
    return sql`task_terms cross join ${readBy(dialect, sql`tasks`, primaryIndex('tasks'))}`
  }
  return readBy(dialect, sql`tasks`, indexOf(path, column))
}

function indexOf(path: ColumnPath | null, column: Segment['column']): string {
  if (path !== null && path.index !== null) return path.index
  return column === null || column === 'id' ? primaryIndex('tasks') : (indexes[column] as string)
}

function idOf({ path }: IndexScan): RawBuilder<unknown> {
  return sql.ref(path?.table === 'task_terms' ? 'task_terms.task' : 'tasks.id')
}

/** The position where a slice of `size` index rows ends; null if fewer rows remain. */
async function findSliceEnd(
  reader: Reader,
  scan: IndexScan,
  segment: Segment,
  size: number,
): Promise<ScanPosition | null> {
  const { path, bounds, realm } = scan
  const parts = [...positionConditions(scan, segment, null)]
  if (path !== null) parts.push(indexCondition(path))
  else if (bounds !== null) parts.push(indexCondition(bounds))
  const values: Record<string, Value> = { realm, skip: size - 1 }
  for (const part of parts) Object.assign(values, part.values)
  const shape = parts.map((part) => part.shape).join(' ')
  const query = shapedQuery<{ place: Value; id: string }>(
    `slice ${sourceShape(scan, segment)} ${shape}`,
    (_, bind, dialect) => sliceText(scan, segment, parts, bind, dialect),
  )
  const row = await reader.first(query, values)
  if (row === undefined) return null
  return segment.column === null || segment.content === 'null' ? [row.id] : [row.place, row.id]
}

/** The condition of an access path on its index alone, so that no table row is read. */
function indexCondition(path: ColumnPath): SqlCondition {
  const of = (column: string) => sql.ref(`${path.table}.${column}`)
  return {
    shape: `in ${path.table} ${path.shape}`,
    values: path.values,
    sql: (bind, dialect) => path.sql(of, bind, dialect, path.table),
  }
}

function sliceText(
  scan: IndexScan,
  segment: Segment,
  parts: readonly SqlCondition[],
  bind: ComposedPlaceholder,
  dialect: Dialect,
): RawBuilder<unknown> {
  const id = idOf(scan)
  const isOfTerm = scan.path?.table === 'task_terms'
  const table = isOfTerm ? 'task_terms' : 'tasks'
  const from = isOfTerm ? sql`task_terms` : source(scan, segment, dialect)
  const conditions = [
    sql`${sql.ref(`${table}.realm`)} = ${bind('realm')}`,
    ...parts.map((part) => part.sql(bind, dialect)),
  ]
  const [place] = segmentColumns(segment, id)
  return sql`select ${place} as place, ${id} as id from ${from} where ${sql.join(conditions, sql` and `)}
    order by ${segmentOrder(segment, id)} limit 1 offset ${bind('skip')}`
}

/**
 * Reads pages and counts of tasks in a time that does not grow with the number of tasks.
 *
 *   1. Scan the index of the order: it fills a page soon unless a condition refuses most tasks.
 *   2. If the first slice did not fill the page, look for a selective access path: a condition with an index that leads to
 *      few tasks. Look those up, filter and sort them.
 *   3. Without one every condition matches many tasks, so the scan goes on.
 *
 * With two sort keys, the tasks with equal first values are sorted by the second key as a list of their own.
 * Invariant: the result equals that of `pageQuery` and `countQuery`, whatever the plan.
 */
import { sql } from 'kysely'
import { readBy } from '../../../db/dialect.ts'
import { db_limits } from '../../../db/limits.ts'
import { shapedQuery } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'
import type { ShownTaskRow } from '../task.ts'
import type { TaskTextRow } from '../task-text.ts'
import { type AccessPath, accessPathsOf, type ColumnPath, isInIdOrder, isTextPath, listPathOf } from './access-path.ts'
import type { SortableRow, TaskCriteria, TaskPage, TaskPosition } from './criteria.ts'
import { type IndexScan, isSlicedScan, PageBuffer, scanCount, scanPage, segmentsOf } from './index-scan.ts'
import { countQuery, pageQuery, type ShownColumns, shownAsRows, shownAsTexts } from './queries.ts'
import { compareRows, type SortKey, type SortValue, sortColumn } from './sort.ts'
import { isSelectiveText } from './text-path.ts'

/** How lists are read. Defaults are in `db_limits`. */
export interface ReadOptions {
  /** Inside a transaction: other work of the process must not run in between. */
  readonly is_uninterrupted?: boolean
  /** An access path to at most this many tasks is selective. */
  readonly few_max?: number
  /** Rows of the first slice of a scan. */
  readonly slice_min?: number
}

interface ReadRequest {
  readonly reader: Reader
  readonly realm: number
  readonly shown: ShownColumns
  readonly options: Required<ReadOptions>
}

/** The first `page.count` tasks after the page's position. Ask for one more than is shown to learn whether more follow. */
export async function readTasks(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  page: TaskPage,
  options: ReadOptions = {},
): Promise<ShownTaskRow[]> {
  const { rows } = await readPage(toRequest(reader, realm, shownAsRows, options), criteria, page)
  return rows as ShownTaskRow[]
}

/** The same page as JSON text made by SQLite, which saves a third of the time. */
export async function readTaskTexts(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  page: TaskPage,
): Promise<TaskTextRow[]> {
  const { rows } = await readPage(toRequest(reader, realm, shownAsTexts(page.keys), {}), criteria, page)
  return rows as TaskTextRow[]
}

/** The selected columns of a page. */
export async function readColumns<Row extends SortableRow>(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  page: TaskPage,
  shown: ShownColumns,
): Promise<Row[]> {
  const { rows } = await readPage(toRequest(reader, realm, shown, {}), criteria, page)
  // The statement selects the columns of `shown`.
  return rows as Row[]
}

/** The number of matching tasks. */
export async function countTasks(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  options: ReadOptions = {},
): Promise<number> {
  const request = toRequest(reader, realm, shownAsRows, options)
  const { paths, scan } = planAccess(request, criteria, [])
  const selective = await findSelectivePath(request, paths)
  const scans = selective === null && (reader.dialect === 'sqlite' || scan.path !== null)
  if (scans) return await scanCount(reader, { ...scan, is_single_statement: false })
  const { query, values } = countQuery(realm, criteria, selective ?? undefined)
  return (await reader.first(query, values))?.count ?? 0
}

function toRequest(reader: Reader, realm: number, shown: ShownColumns, options: ReadOptions): ReadRequest {
  const { is_uninterrupted = false, few_max = db_limits.list_few_max, slice_min = db_limits.list_slice_min } = options
  return { reader, realm, shown, options: { is_uninterrupted, few_max, slice_min } }
}

async function readPage(request: ReadRequest, criteria: TaskCriteria, page: TaskPage): Promise<PageBuffer> {
  const { reader } = request
  const { keys, backwards, position, count } = page
  const [key = null, second] = keys
  const { paths, scan } = planAccess(request, criteria, keys)
  const buffer = new PageBuffer()
  const readBySelectivePath = async () => {
    const selective = await findSelectivePath(request, paths)
    if (selective === null) return false
    const { query, values } = pageQuery(request.realm, criteria, page, request.shown, selective)
    buffer.clear()
    buffer.add(await reader.all(query, values), count)
    return true
  }
  if (key !== null && second !== undefined) {
    if (!(await readBySelectivePath())) await readByTwoKeys(buffer, request, scan, page, [key, second])
    return buffer
  }
  const start = position === null ? null : { value: position.values[0] ?? null, id: position.id }
  const segments = segmentsOf(key, backwards, start)
  // A sliced scan looks for a selective path only after its first slice, which fills most pages.
  if (isSlicedScan(reader, scan)) await scanPage(reader, scan, segments, buffer, count, readBySelectivePath)
  else if (!(await readBySelectivePath())) await scanPage(reader, scan, segments, buffer, count)
  return buffer
}

/** The index scan of an order, and the access paths that may be selective. */
interface AccessPlan {
  readonly paths: readonly AccessPath[]
  readonly scan: IndexScan
}

function planAccess(request: ReadRequest, criteria: TaskCriteria, keys: readonly SortKey[]): AccessPlan {
  const { reader, realm, shown, options } = request
  const [key = null, second] = keys
  const paths = accessPathsOf(criteria, realm, reader.dialect)
  const list = key?.field === 'position' && second === undefined ? listPathOf(criteria) : null
  const inOrder = key === null ? (paths.find(isInIdOrder) ?? null) : (list?.path ?? null)
  const sorted = key === null ? null : sortColumn(key)
  const bounds = columnPaths(paths).find(({ column }) => column === sorted) ?? null
  const filter = list === null ? criteria.filter : list.filter
  const is_single_statement = filter === undefined && paths.length === (list?.conditions ?? (inOrder === null ? 0 : 1))
  // PostgreSQL chooses its own index, except that it does not know how selective terms are, nor what a list is.
  const path = reader.dialect === 'sqlite' || inOrder?.table === 'task_terms' ? inOrder : (list?.path ?? null)
  const scanned = { ...criteria, filter }
  const scan: IndexScan = { realm, criteria: scanned, shown, path, bounds, is_single_statement, ...options }
  // A single ordered index is always scanned.
  return { paths: paths.length === 1 && inOrder !== null ? [] : paths, scan }
}

function columnPaths(paths: readonly AccessPath[]): ColumnPath[] {
  return paths.filter((path): path is ColumnPath => !isTextPath(path))
}

async function findSelectivePath(request: ReadRequest, paths: readonly AccessPath[]): Promise<AccessPath | null> {
  if (request.reader.dialect === 'postgres') {
    // PostgreSQL's statistics cover values of columns, but neither terms nor where a range lies in the order: overdue
    // tasks, for example, are old ones.
    const unknown = paths.filter((path) => !isInIdOrder(path) || path.table === 'task_terms')
    const selective = await Promise.all(unknown.map((path) => isSelective(request, path)))
    return unknown.find((_, i) => selective[i]) ?? null
  }
  for (const path of paths) if (await isSelective(request, path)) return path
  return null
}

async function isSelective({ reader, realm, options }: ReadRequest, path: AccessPath): Promise<boolean> {
  if (isTextPath(path)) return await isSelectiveText(reader, realm, path, options.few_max)
  const { table, index, order, shape, values } = path
  const query = shapedQuery<{ found: number }, { realm: number; few_max: number }>(
    `tasks few ${table} ${shape}`,
    (_, bind, dialect) => {
      const ref = (column: string) => sql.ref(`${table}.${column}`)
      const from = index === null ? sql.table(table) : readBy(dialect, sql.table(table), index)
      const where = sql`${ref('realm')} = ${bind('realm')} and ${path.sql(ref, bind, dialect, table)}`
      // In the index's own order; otherwise PostgreSQL may read the whole table.
      const ordered = order === null ? sql`` : sql`order by ${ref(order)}`
      const few_max = bind('few_max')
      return sql<{ found: number }>`select 1 as found from ${from} where ${where} ${ordered} limit 1 offset ${few_max}`
    },
  )
  return (await reader.first(query, { realm, ...values, few_max: options.few_max })) === undefined
}

/**
 * Reads a page sorted by two keys. A scan by the first key alone shows which values the page spans. Tasks of all but the
 * last value are complete and are sorted in memory. Tasks of the last value, and of the value at the start position, are
 * read by the second key.
 */
async function readByTwoKeys(
  buffer: PageBuffer,
  request: ReadRequest,
  scan: IndexScan,
  { backwards, position, count }: TaskPage,
  [key, second]: readonly [SortKey, SortKey],
): Promise<void> {
  const column = sortColumn(key)
  const readValue = async (value: SortValue, after: TaskPosition | null) => {
    const criteria = { ...scan.criteria, level: { column, value } }
    const page = { keys: [second], backwards, position: after, count }
    buffer.add((await readPage(request, criteria, page)).rows, count)
  }
  let segments = segmentsOf(key, backwards, null)
  if (position !== null) {
    const [value = null, ...values] = position.values
    await readValue(value, { id: position.id, values })
    segments = segmentsOf(key, backwards, { value })
  }
  while (buffer.size < count) {
    const scanned = new PageBuffer()
    await scanPage(request.reader, scan, segments, scanned, count)
    const { rows } = scanned
    const lastValue = rows.at(-1)?.[column]
    if (lastValue === undefined) return
    const isEnd = rows.length < count
    const complete = isEnd ? rows : rows.filter((row) => row[column] !== lastValue)
    buffer.add(complete.sort(compareRows([key, second], backwards)), count)
    if (isEnd) return
    await readValue(lastValue, null)
    segments = segmentsOf(key, backwards, { value: lastValue })
  }
}

/**
 * Lists of tasks in the order of custom fields (contract/06#sort). No index has this order: the selected tasks are read in
 * batches by id, and the first ones behind the position are kept. Their values are compared here, so both engines have the
 * same order. Memory grows with the page, time with the selected tasks, up to the limit of a statement.
 * Invariants: as in sort.ts, ties are ordered by id in the direction of the last key, and missing values come last in both
 * directions; a value that does not fit its field counts as missing.
 */
import { sql } from 'kysely'
import type { Caller, Tenant } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { db_limits } from '../../../db/limits.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { type Reader, StoreUnavailable } from '../../../db/store.ts'
import { Slices } from '../../../lib/turns.ts'
import { fieldsWithKey } from '../../custom_fields/shared/queries.ts'
import { type FieldRule, fieldRule, fieldSortValue } from '../../custom_fields/shared/values.ts'
import type { TaskCriteria, TaskPage, TaskPosition } from './criteria.ts'
import type { ShownColumns } from './queries.ts'
import { readColumns } from './read.ts'
import { type AnySortKey, isCustomKey, type SortRow, type SortValue, sortColumn, sortColumnNames } from './sort.ts'

/** The columns that an order by custom fields reads. */
type PlacedRow = SortRow & Pick<TaskRow, 'id' | 'workspace' | 'custom_fields'>

/** The keys of an order, and the values of a row in it. */
export interface FieldOrder {
  readonly keys: readonly AnySortKey[]
  valuesOf(row: PlacedRow): SortValue[]
}

/**
 * The order of keys, of which some are custom fields. A task's value counts by the definition of its own workspace. Refuses
 * a key that no covered workspace defines: `workspace`, or any of the realm.
 */
export async function fieldOrder(
  reader: Reader,
  tenant: Tenant | Caller,
  keys: readonly AnySortKey[],
  workspace: string | undefined,
  code: 'invalid_query_parameter' | 'invalid_request_body' = 'invalid_query_parameter',
): Promise<FieldOrder> {
  const steps = await Promise.all(
    keys.map(async (key) => {
      if (!isCustomKey(key)) return (row: PlacedRow): SortValue => row[sortColumn(key)]
      const rules = await rulesOf(reader, tenant, key.custom, workspace)
      if (rules.size === 0) {
        const place = workspace === undefined ? 'No workspace has a' : 'The workspace has no'
        const message = `Cannot sort by custom_fields.${key.custom}. ${place} custom field with this key.`
        throw refuse(code, { param: 'sort', message })
      }
      return (row: PlacedRow): SortValue => {
        const rule = rules.get(row.workspace)
        const values = JSON.parse(row.custom_fields) as Readonly<Record<string, unknown>>
        return rule === undefined ? null : fieldSortValue(rule, values[key.custom])
      }
    }),
  )
  return { keys, valuesOf: (row) => steps.map((value) => value(row)) }
}

/** The definitions of a key by workspace. */
async function rulesOf(
  reader: Reader,
  tenant: Tenant | Caller,
  key: string,
  workspace: string | undefined,
): Promise<ReadonlyMap<string, FieldRule>> {
  const rows = await fieldsWithKey(reader, tenant, key, workspace)
  return new Map(rows.map((row) => [row.workspace, fieldRule(row)]))
}

type Span = Omit<TaskPage, 'keys'>

/** The columns of a `PlacedRow`. */
const placed: ShownColumns = {
  shape: 'placed',
  columns: sql.join(['id', 'workspace', 'custom_fields', ...sortColumnNames].map((name) => sql.ref(`tasks.${name}`))),
}

/** The first `count` positions of the order behind a position. */
export async function readPositions(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  order: FieldOrder,
  { backwards, position, count }: Span,
): Promise<TaskPosition[]> {
  const compare = comparison(order.keys, backwards)
  const { field_order_batch: batch, list_slice_ms, statement_ms } = db_limits
  const slices = new Slices(batch, batch, list_slice_ms, statement_ms)
  const kept: TaskPosition[] = []
  // The last of the first `count` positions so far, once `count` are known.
  let last: TaskPosition | undefined
  const keepFirst = () => {
    kept.sort(compare).splice(count)
    last = kept[count - 1]
  }
  let after: TaskPosition | null = null
  for (;;) {
    const page: TaskPage = { keys: [], backwards: false, position: after, count: batch }
    const rows: PlacedRow[] = await readColumns<PlacedRow>(reader, realm, criteria, page, placed)
    for (const row of rows) {
      const place = { id: row.id, values: order.valuesOf(row) }
      if (position !== null && compare(place, position) <= 0) continue
      if (last === undefined || compare(place, last) < 0) kept.push(place)
    }
    // Sorting only after a whole batch of candidates keeps the time linear for large counts, too.
    if (kept.length >= count + batch) keepFirst()
    const end = rows.at(-1)
    if (end === undefined || rows.length < batch) break
    after = { id: end.id, values: [] }
    if (!(await slices.next())) throw new StoreUnavailable('a list took too long')
  }
  keepFirst()
  return kept
}

/** Compares positions; negative if `a` comes first. */
function comparison(keys: readonly AnySortKey[], backwards: boolean) {
  const isIdDescending = (keys.at(-1)?.is_descending ?? true) !== backwards
  return (a: TaskPosition, b: TaskPosition): number => {
    for (const [i, { is_descending }] of keys.entries()) {
      const [first = null, second = null] = [a.values[i], b.values[i]]
      if (first === second) continue
      if (first === null || second === null) return (first === null) === backwards ? -1 : 1
      const difference = compareValues(first, second)
      if (difference !== 0) return is_descending === backwards ? difference : -difference
    }
    if (a.id === b.id) return 0
    return a.id < b.id === isIdDescending ? 1 : -1
  }
}

/** Numbers by size, texts by code point. Workspaces may give a key different types: numbers come before texts. */
function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number') return -1
  if (typeof b === 'number') return 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const byIds = query<TaskRow, { realm: number; ids: string }>(
  (db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    db
      .selectFrom('tasks')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('deleted_at', 'is', null)
      .where(isOneOf(dialect, 'id', p('ids'))),
)

/** A row of a page, with its position as it was when the order was read. */
export interface OrderedRow {
  readonly row: TaskRow
  readonly position: TaskPosition
}

/**
 * The first `span.count` tasks of the order. Some more positions are read, because a task may be deleted before its row is
 * read.
 */
export async function readOrderedRows(
  reader: Reader,
  realm: number,
  criteria: TaskCriteria,
  order: FieldOrder,
  span: Span,
): Promise<OrderedRow[]> {
  const wanted = { ...span, count: span.count + db_limits.field_order_spare }
  const positions = await readPositions(reader, realm, criteria, order, wanted)
  const ids = JSON.stringify(positions.map(({ id }) => id))
  const rows = new Map((await reader.all(byIds, { realm, ids })).map((row) => [row.id, row]))
  return positions
    .flatMap((position) => {
      const row = rows.get(position.id)
      return row === undefined ? [] : [{ row, position }]
    })
    .slice(0, span.count)
}

/**
 * The order of task lists by `sort`, and positions in it (contract/06#sort). Invariants: ties are ordered by id in the
 * direction of the last key; nulls come last in both directions; reading backwards is the exact reverse. Both engines
 * compare titles by code point.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { choices, suggest } from '../../../api/declare/quoted.ts'
import { limits } from '../../../api/limits.ts'
import type { TaskRow } from '../../../db/schema.ts'
import { excerpt } from '../filter/tokens.ts'

const columns = {
  created: 'created',
  updated: 'updated',
  start_at: 'start_at',
  due_at: 'due_at',
  completed_at: 'completed_at',
  priority: 'priority_rank',
  title: 'title',
  position: 'position',
} as const satisfies Record<string, keyof TaskRow>

export const sortColumnNames: readonly (keyof SortRow)[] = Object.values(columns)

const nullable: ReadonlySet<string> = new Set(['start_at', 'due_at', 'completed_at'])

export type SortField = keyof typeof columns
export type SortKey = { field: SortField; is_descending: boolean }
/** A custom field as sort key (field-order.ts). */
export type CustomSortKey = { custom: string; is_descending: boolean }
export type AnySortKey = SortKey | CustomSortKey
export type SortColumnName = (typeof columns)[SortField] | 'id'
/** The sort columns of a row; times in milliseconds. */
export type SortRow = Pick<TaskRow, (typeof columns)[SortField]>
export type SortValue = string | number | null

export type SortColumn = { column: SortColumnName; is_nullable: boolean; is_descending: boolean }

/**
 * Parses a `sort` parameter: one or two different fields or custom fields, comma-separated; prefix one with `-` to sort
 * descending. Whether a custom field is defined is checked later.
 */
export function parseSort(text: string): { ok: true; keys: AnySortKey[] } | { ok: false; message: string } {
  const parts = text.split(',', limits.sort_keys_max + 1)
  if (parts.length > limits.sort_keys_max) return refused(`A sort has at most ${limits.sort_keys_max} keys.`)
  const keys: AnySortKey[] = []
  for (const part of parts) {
    const name = part.trim().replace(/^-/, '')
    const is_descending = part.trim().startsWith('-')
    const custom = custom_name.exec(name)?.[1]
    if (custom === undefined && !isSortField(name))
      return refused(`Cannot sort by ${excerpt(name)}.${suggest(name, sortable)} Use ${choices(sortable)}.`)
    if (keys.some((key) => nameOf(key) === name)) return refused(`The sort key ${name} is given twice.`)
    if (isSortField(name)) keys.push({ field: name, is_descending })
    else if (custom !== undefined) keys.push({ custom, is_descending })
  }
  return { ok: true, keys }
}

const custom_name = /^custom_fields\.([a-z][a-z0-9_]{0,39})$/

export function isCustomKey(key: AnySortKey): key is CustomSortKey {
  return 'custom' in key
}

export function isColumnKey(key: AnySortKey): key is SortKey {
  return !isCustomKey(key)
}

function nameOf(key: AnySortKey): string {
  return isCustomKey(key) ? `custom_fields.${key.custom}` : key.field
}

/** The canonical text of an order, which cursors are bound to. */
export function sortText(keys: readonly AnySortKey[]): string {
  return keys.map((key) => (key.is_descending ? `-${nameOf(key)}` : nameOf(key))).join()
}

/** The columns of an order, ending with `id` in the direction of the last key. */
export function sortColumns(keys: readonly SortKey[]): SortColumn[] {
  const found = keys.map(({ field, is_descending }): SortColumn => {
    const column = columns[field]
    return { column, is_nullable: nullable.has(column), is_descending }
  })
  return [...found, { column: 'id', is_nullable: false, is_descending: keys.at(-1)?.is_descending ?? true }]
}

/** The column of a key. */
export function sortColumn({ field }: SortKey): (typeof columns)[SortField] {
  return columns[field]
}

/** Compares rows as `orderBySql` does. Comparing UTF-8 bytes equals comparing code points. */
export function compareRows(keys: readonly SortKey[], backwards: boolean) {
  const steps = sortColumns(keys)
  return (a: SortRow & { readonly id: string }, b: SortRow & { readonly id: string }): number => {
    for (const { column, is_descending } of steps) {
      const [first, second] = [a[column], b[column]]
      if (first === second) continue
      if (first === null || second === null) return (first === null) === backwards ? -1 : 1
      const difference =
        typeof first === 'string'
          ? Buffer.compare(Buffer.from(first), Buffer.from(String(second)))
          : first - Number(second)
      if (difference !== 0) return is_descending === backwards ? difference : -difference
    }
    return 0
  }
}

/** The values of a row's position in the order, without its id. */
export function sortValues(keys: readonly SortKey[], row: SortRow): SortValue[] {
  return keys.map(({ field }) => row[columns[field]])
}

/**
 * The ORDER BY of the table or alias `tasks`. Nulls are mentioned only for nullable columns, so that a plain index on
 * (realm, …, column, id) serves both directions.
 */
export function orderBySql(keys: readonly SortKey[], backwards: boolean): RawBuilder<unknown> {
  return sql.join(
    sortColumns(keys).map(({ column, is_nullable, is_descending }) => {
      const direction = is_descending === backwards ? sql`asc` : sql`desc`
      const nulls = backwards ? sql` nulls first` : sql` nulls last`
      return sql`${tasks(column)} ${direction}${is_nullable ? nulls : sql``}`
    }),
  )
}

/** A column of the order and the position's value in it. Nulls are known before binding. */
type Step = SortColumn & { value: SortValue }

/**
 * The tasks strictly after the position (`values`, `id`) in the order of `orderBySql`. Values other than null may be
 * placeholders. Throws a RangeError unless there is one value per key.
 */
export function afterSql(
  keys: readonly SortKey[],
  values: readonly SortValue[],
  id: string,
  backwards: boolean,
): RawBuilder<SqlBool> {
  if (values.length !== keys.length) throw new RangeError('a position has one value for each sort key')
  const steps = sortColumns(keys).map((step, i): Step => {
    const value = i < values.length ? (values[i] as SortValue) : id
    return { ...step, is_descending: step.is_descending !== backwards, value }
  })
  return isRowComparison(steps, backwards) ? rowAfter(steps) : stepsAfter(steps, backwards)
}

/** A row comparison seeks an index exactly, but has one direction and excludes rows with a null. */
function isRowComparison(steps: Step[], backwards: boolean): boolean {
  return steps.every(
    (step) => step.is_descending === steps[0]?.is_descending && step.value !== null && (backwards || !step.is_nullable),
  )
}

function rowAfter(steps: Step[]): RawBuilder<SqlBool> {
  const names = sql.join(steps.map(({ column }) => tasks(column)))
  const values = sql.join(steps.map(({ value }) => value))
  return sql<SqlBool>`((${names}) ${steps[0]?.is_descending ? sql`<` : sql`>`} (${values}))`
}

/** After in the first column, or equal there and after in the others. */
function stepsAfter([step, ...others]: Step[], backwards: boolean): RawBuilder<SqlBool> {
  if (!step) return sql<SqlBool>`(1 = 0)`
  const column = tasks(step.column)
  const after = stepAfter(step, backwards)
  if (step.value === null) {
    const level = sql<SqlBool>`(${column} is null and ${stepsAfter(others, backwards)})`
    return after ? sql<SqlBool>`(${after} or ${level})` : level
  }
  const either = sql<SqlBool>`(${after} or (${column} = ${step.value} and ${stepsAfter(others, backwards)}))`
  if (step.is_nullable && !backwards) return either
  // Redundant, but neither engine finds the index range inside the OR.
  return sql<SqlBool>`(${column} ${step.is_descending ? sql`<=` : sql`>=`} ${step.value} and ${either})`
}

/** The rows after a value in its column; null if there cannot be any. */
function stepAfter(
  { column, value, is_nullable, is_descending }: Step,
  backwards: boolean,
): RawBuilder<SqlBool> | null {
  if (value === null) return backwards ? sql<SqlBool>`${tasks(column)} is not null` : null
  const beyond = sql<SqlBool>`${tasks(column)} ${is_descending ? sql`<` : sql`>`} ${value}`
  return is_nullable && !backwards ? sql<SqlBool>`(${beyond} or ${tasks(column)} is null)` : beyond
}

function tasks(column: SortColumnName): RawBuilder<unknown> {
  return sql.ref(`tasks.${column}`)
}

const sortable = [...Object.keys(columns), 'custom_fields.<key>']

function isSortField(name: string): name is SortField {
  return Object.hasOwn(columns, name)
}

function refused(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

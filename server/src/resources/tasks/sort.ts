/**
 * The order of a task list by `sort`, and the position of a cursor in it (decisions §6, `sort` and `With sort`).
 * Invariants: ties are broken by id in the direction of the last key, so the order is total; nulls come last both ways;
 * walked backwards it is the exact reverse, nulls first. Titles compare by code point: the columns do, on both engines.
 */

import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { TaskRow } from '../../db/schema.ts'
import { limits } from '../../lib/limits.ts'
import { excerpt } from './filter/tokens.ts'

const columns = {
  created: 'created',
  updated: 'updated',
  due_at: 'due_at',
  completed_at: 'completed_at',
  priority: 'priority_rank',
  title: 'title',
  position: 'position',
} as const satisfies Record<string, keyof TaskRow>

const nullable: ReadonlySet<string> = new Set(['due_at', 'completed_at'])

export type SortField = keyof typeof columns
export type SortKey = { field: SortField; is_descending: boolean }
export type SortColumnName = (typeof columns)[SortField] | 'id'
/** The columns that `sortValues` reads; times in milliseconds. */
export type SortRow = Pick<TaskRow, (typeof columns)[SortField]>
export type SortValue = string | number | null

export type SortColumn = { column: SortColumnName; is_nullable: boolean; is_descending: boolean }

/**
 * The keys of a `sort` parameter: one or two different fields with commas between them, `-` before one that descends.
 * Anything else is refused with a message. Never throws. Source: decisions §6.
 */
export function parseSort(text: string): { ok: true; keys: SortKey[] } | { ok: false; message: string } {
  const parts = text.split(',', limits.sort_keys_max + 1)
  if (parts.length > limits.sort_keys_max) return refused(`A sort has at most ${limits.sort_keys_max} keys`)
  const keys: SortKey[] = []
  for (const part of parts) {
    const name = part.trim().replace(/^-/, '')
    if (!isSortField(name)) return refused(`There is no sort key ${excerpt(name)}; there are ${names}`)
    if (keys.some((key) => key.field === name)) return refused(`The sort key ${name} is given twice`)
    keys.push({ field: name, is_descending: part.trim().startsWith('-') })
  }
  return { ok: true, keys }
}

/** The one spelling of an order, for a cursor to be bound to: `parseSort` of it gives the same keys. */
export function sortText(keys: readonly SortKey[]): string {
  return keys.map(({ field, is_descending }) => (is_descending ? `-${field}` : field)).join()
}

/** The columns of an order from the first that decides to the last, `id`, which goes as the last key does. */
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

/** Orders rows as `orderBySql` does. Texts go by their bytes in UTF-8, which is by code point. */
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

/** Where a row stands in the order, besides its id: what a cursor keeps and `afterSql` takes. */
export function sortValues(keys: readonly SortKey[], row: SortRow): SortValue[] {
  return keys.map(({ field }) => row[columns[field]])
}

/**
 * What follows ORDER BY, over the table or alias `tasks`. Nulls are named only where there can be any, so that a plain
 * index on (realm, …, column, id) serves in both directions. Source: decisions §6.
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

/** One column of the order with the value of the position it is compared with; a null is known before binding. */
type Step = SortColumn & { value: SortValue }

/**
 * The tasks strictly after the position of (`values`, `id`), in the order of `orderBySql` with the same `backwards`.
 * Values other than null may be placeholders. RangeError unless there is one value for each key. Source: decisions §6.
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

/** A row comparison is sought in an index to the very row, but knows one direction and drops every row with a null. */
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

/** After in the first column, or level in it and after in the others. */
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
  // Says nothing new, but bounds the range of an index that neither engine finds in the OR.
  return sql<SqlBool>`(${column} ${step.is_descending ? sql`<=` : sql`>=`} ${step.value} and ${either})`
}

/** The rows after a value in its column alone; null when there are none. */
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

const names = Object.keys(columns).join(', ')

function isSortField(name: string): name is SortField {
  return Object.hasOwn(columns, name)
}

function refused(message: string): { ok: false; message: string } {
  return { ok: false, message }
}

/**
 * The tables and the columns of their primary keys, read from the migrations, so that a new table needs no second list.
 */
import type { Dialect } from '../dialect.ts'
import { migrations, statementsOf } from '../migrate.ts'

export interface TableKey {
  readonly table: string
  readonly key: readonly string[]
}

/** Tables that are derived from others and filled again by a worker: no backup contains them. */
export const derived_tables: ReadonlySet<string> = new Set([
  'text_positions',
  'text_documents',
  'text_grams',
  'search_positions',
  'search_documents',
  'search_words',
  'search_hashes',
])

const created = /^create table (?:if not exists )?(?:\w+\.)?(\w+) \(/
const together = /primary key \(([^)]+)\)/

/**
 * Every table after an engine's migrations, or after those with the names `applied`, in the order of creation, with its primary
 * key.
 */
export function tableKeys(dialect: Dialect, applied?: ReadonlySet<string>): TableKey[] {
  const keys = new Map<string, readonly string[]>()
  for (const migration of migrations) {
    if (applied !== undefined && !applied.has(migration.name)) continue
    for (const statement of statementsOf(migration, dialect)) {
      const table = created.exec(statement)?.[1]
      if (table !== undefined) keys.set(table, keyOf(statement))
    }
  }
  return [...keys].map(([table, key]) => ({ table, key }))
}

function keyOf(statement: string): string[] {
  const listed = together.exec(statement)?.[1]
  if (listed !== undefined) return listed.split(',').map((name) => name.trim().replaceAll('"', ''))
  const columns = statement.slice(statement.indexOf('(') + 1).split(',')
  const column = /^\s*"?(\w+)/.exec(columns.find((each) => each.includes(' primary key')) ?? '')?.[1]
  if (column === undefined) throw new Error(`a table without a primary key: ${statement.slice(0, 60)}`)
  return [column]
}

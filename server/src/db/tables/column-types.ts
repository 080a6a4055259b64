/** The types of columns on PostgreSQL, read from the migrations, so that a new column needs no second list. */
import type { ColumnType } from '../engine/value.ts'
import { migrations, statementsOf } from '../migrate.ts'

const changed = /^(?:create table (?:if not exists )?|alter table )(?:\w+\.)?(\w+) /
const column = /\b(\w+)"? (bigint\[\]|bigint\b|double precision|text\b)/g

let types: ReadonlyMap<string, ReadonlyMap<string, ColumnType>> | null = null

function readTypes(): ReadonlyMap<string, ReadonlyMap<string, ColumnType>> {
  const found = new Map<string, Map<string, ColumnType>>()
  for (const migration of migrations) {
    for (const statement of statementsOf(migration, 'postgres')) {
      const table = changed.exec(statement)?.[1]
      if (table === undefined) continue
      const columns = found.get(table) ?? new Map<string, ColumnType>()
      for (const [, name = '', type] of statement.matchAll(column)) columns.set(name, type as ColumnType)
      found.set(table, columns)
    }
  }
  return found
}

/** The types of a table's columns after all migrations, and of those that a later one has removed. Throws for others. */
export function columnTypes(table: string, columns: readonly string[]): ColumnType[] {
  types ??= readTypes()
  const own = types.get(table)
  return columns.map((name) => {
    const type = own?.get(name)
    if (type === undefined) throw new Error(`no migration creates ${table}.${name}`)
    return type
  })
}

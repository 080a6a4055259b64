/** Statements that remove the rows of a realm from every table whose key begins with the realm. */
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { type Placeholder, type Query, rawQuery } from './query.ts'
import { tableKeys } from './table-keys.ts'

/** Grams have no column for their realm: the documents that name them go afterwards. */
const clearGrams = rawQuery((p: Placeholder<{ realm: number }>, dialect) => {
  const id = dialect === 'sqlite' ? sql`rowid` : sql`document`
  return sql`delete from text_grams where ${id} in (select document from text_documents where realm = ${p('realm')})`
})

/** One statement per table, except for the tables named in `kept`. */
export function clearRealm(dialect: Dialect, kept: ReadonlySet<string>): Query<unknown, { realm: number }>[] {
  const tables = tableKeys(dialect).filter(({ table, key }) => key[0] === 'realm' && !kept.has(table))
  const each = tables.map(({ table }) =>
    rawQuery((p: Placeholder<{ realm: number }>) => sql`delete from ${sql.table(table)} where realm = ${p('realm')}`),
  )
  return [clearGrams, ...each]
}

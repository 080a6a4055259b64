/** Statements that remove the rows of a realm from every table whose key begins with the realm. */
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { type Placeholder, type Query, rawQuery } from '../query.ts'
import { tableKeys } from '../tables/keys.ts'

/** On SQLite, grams are found through the documents that name them, which go afterwards. */
const clearGrams = rawQuery((p: Placeholder<{ realm: number }>, dialect) =>
  dialect === 'sqlite'
    ? sql`delete from text_grams where rowid in (select document from text_documents where realm = ${p('realm')})`
    : sql`delete from text_grams where shard = ${p('realm')}`,
)

/** The same holds for the words of search. */
const clearWords = rawQuery((p: Placeholder<{ realm: number }>, dialect) => {
  return dialect === 'sqlite'
    ? sql`delete from search_words where rowid in (select document from search_documents where realm = ${p('realm')})`
    : sql`delete from search_hashes where shard = ${p('realm')}`
})

/** One statement per table, except for the tables named in `kept`. */
export function clearRealm(dialect: Dialect, kept: ReadonlySet<string>): Query<unknown, { realm: number }>[] {
  const tables = tableKeys(dialect).filter(({ table, key }) => key[0] === 'realm' && !kept.has(table))
  const each = tables.map(({ table }) =>
    rawQuery((p: Placeholder<{ realm: number }>) => sql`delete from ${sql.table(table)} where realm = ${p('realm')}`),
  )
  return [clearGrams, clearWords, ...each]
}

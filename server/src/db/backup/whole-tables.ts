/** Reads whole tables in pages, in the order of their keys. */
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import { onceQuery } from '../query.ts'
import type { Moment, Reader, TableRow } from '../store.ts'

/** At most `count` rows of a table behind `last`, in the order of its key. */
export function pageOf(table: string, key: readonly string[], last: TableRow | null, count: number) {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const behind = last === null ? sql`1 = 1` : sql`(${columns}) > (${sql.join(key.map((column) => last[column]))})`
  return onceQuery(
    () => sql<TableRow>`select * from ${sql.table(table)} where ${behind} order by ${columns} limit ${sql.lit(count)}`,
  )
}

/** All rows of a table on one server, in pages of at most `count`. */
export async function* pagesOf(
  reader: Reader,
  table: string,
  key: readonly string[],
  count: number,
): AsyncGenerator<readonly TableRow[]> {
  let last: TableRow | null = null
  for (;;) {
    const page: TableRow[] = await reader.all(pageOf(table, key, last, count))
    if (page.length > 0) yield page
    if (page.length < count) return
    last = page.at(-1) ?? null
  }
}

/** What a snapshot of one server shows. */
export function momentOf(reader: Reader): Moment {
  return { reader, pages: (table, key) => pagesOf(reader, table, key, db_limits.backup_page_rows) }
}

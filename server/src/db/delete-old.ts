import { sql } from 'kysely'
import { type Query, rawQuery } from './query.ts'
import type { TableName } from './schema.ts'

/** Deletes at most `:count` rows older than `:before`; both engines take a sub-select but not `limit` in a delete. */
export function deleteOld(table: TableName, age: string, key: readonly string[]): Query<unknown> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  return rawQuery(
    (p) => sql`delete from ${sql.table(table)} where (${columns}) in
      (select ${columns} from ${sql.table(table)} where ${sql.ref(age)} < ${p('before')} limit ${p('count')})`,
  )
}

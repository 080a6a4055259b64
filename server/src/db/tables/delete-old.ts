import { sql } from 'kysely'
import { type Placeholder, type Query, rawQuery } from '../query.ts'
import type { TableName } from '../schema.ts'

/** Deletes at most `count` rows older than `before` (milliseconds). */
export type Removal = Query<unknown, { before: number; count: number }>

/**
 * Deletes at most `:count` rows older than `:before`. Neither engine takes `limit` in a delete, but both take a
 * sub-select.
 */
export function deleteOld(table: TableName, age: string, key: readonly string[]): Removal {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  return rawQuery(
    (p: Placeholder<{ before: number; count: number }>) => sql`delete from ${sql.table(table)} where (${columns}) in
      (select ${columns} from ${sql.table(table)} where ${sql.ref(age)} < ${p('before')} limit ${p('count')})`,
  )
}

/** Rows of PostgreSQL, which come as arrays, as objects of one hidden class for each list of columns. */
import type pg from 'pg'
import { makerOf } from './row-maker.ts'

export function rowsOf<R>({ rows, fields }: pg.QueryResult): R[] {
  if (rows.length === 0) return []
  return (rows as unknown as unknown[][]).map(makerOf(fields.map(({ name }) => name))) as R[]
}

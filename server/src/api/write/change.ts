/** Changes a row: writes only the columns that differ and raises the revision by one (contract/05#unchanged-writes). */
import { type ResourceTable, type Update, updateQuery } from '../../db/query.ts'
import type { Schema } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'

/**
 * Writes the columns of `fields` that differ and returns the changed row, or null when nothing differs: an unchanged
 * write keeps its revision. Ignores `undefined` and names that are not columns. `now` is in milliseconds.
 */
export function applyChange<T extends ResourceTable>(
  tx: Tx,
  table: T,
  row: Schema[T],
  fields: Readonly<Record<string, unknown>>,
  now: number,
): Schema[T] | null {
  const current = row as Schema[T] & Readonly<Record<string, unknown>>
  const different: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    if (value !== undefined && column in current && current[column] !== value) different[column] = value
  }
  if (Object.keys(different).length === 0) return null
  different.updated = now
  different.revision = row.revision + 1
  const columns = Object.keys(different)
  tx.write(updateQuery(table, columns), { ...different, realm: row.realm, id: row.id } as Update<T>)
  return { ...row, ...different }
}

/** Marks the row deleted. The tombstone keeps the last state and stays valid in cursors. */
export function markDeleted<T extends ResourceTable>(tx: Tx, table: T, row: Schema[T], now: number): void {
  const { realm, id } = row
  tx.write(updateQuery(table, ['deleted_at']), { realm, id, deleted_at: now } as Update<T>)
}

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
  // Columns are compared by name; a generic row has no index signature.
  const current = row as unknown as Record<string, unknown>
  const different: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    if (value !== undefined && column in current && current[column] !== value) different[column] = value
  }
  if (Object.keys(different).length === 0) return null
  different.updated = now
  different.revision = (current.revision as number) + 1
  const columns = Object.keys(different)
  tx.write(updateQuery(table, columns), { ...different, realm: current.realm, id: current.id } as Update<T>)
  // The row with some of its own columns replaced by values of their types.
  return { ...current, ...different } as unknown as Schema[T]
}

/** Marks the row deleted. The tombstone keeps the last state and stays valid in cursors. */
export function markDeleted<T extends ResourceTable>(tx: Tx, table: T, row: Schema[T], now: number): void {
  // Every resource table has both columns; the generic row does not show them.
  const { realm, id } = row as unknown as { realm: number; id: string }
  tx.write(updateQuery(table, ['deleted_at']), { realm, id, deleted_at: now } as Update<T>)
}

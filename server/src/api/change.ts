/** Changing a row: only what differs is written, the revision rises by one, and nothing at all happens otherwise. */
import { type ResourceTable, updateQuery } from '../db/query.ts'
import type { Schema } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'

/**
 * Writes the differing columns of `fields` into the row and returns it as it then is, or `null` when nothing differs:
 * a write that changes nothing changes no revision (decisions §5). `undefined` and columns the row does not have are
 * left out. `now` is in milliseconds.
 */
export function applyChange<T extends ResourceTable>(
  tx: Tx,
  table: T,
  row: Schema[T],
  fields: Readonly<Record<string, unknown>>,
  now: number,
): Schema[T] | null {
  const current = row as unknown as Record<string, unknown>
  const different: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(fields)) {
    if (value !== undefined && column in current && current[column] !== value) different[column] = value
  }
  if (Object.keys(different).length === 0) return null
  different.updated = now
  different.revision = (current.revision as number) + 1
  const columns = Object.keys(different)
  tx.write(updateQuery(table, columns), { ...different, realm: current.realm, id: current.id })
  return { ...current, ...different } as unknown as Schema[T]
}

/** Makes the row a tombstone, which keeps its last state and its place in lists' cursors. */
export function bury<T extends ResourceTable>(tx: Tx, table: T, row: Schema[T], now: number): void {
  const { realm, id } = row as unknown as { realm: number; id: string }
  tx.write(updateQuery(table, ['deleted_at']), { realm, id, deleted_at: now })
}

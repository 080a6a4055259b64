/** For operators: the size of the database on disk, and the length of its queues. */
import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import { rawQuery } from '../query.ts'
import type { Reader } from '../store.ts'

const sqliteFiles = rawQuery(
  () => sql<{ file: string; bytes: number }>`select list.file as file, pages.page_count * size.page_size as bytes
    from pragma_database_list as list, pragma_page_count as pages, pragma_page_size as size where list.name = 'main'`,
)

const postgresBytes = rawQuery(
  () => sql<{ bytes: string | number }>`select pg_database_size(current_database()) as bytes`,
)

/** Counts at most one row more than the bound, so that a long queue costs no more than a short one. */
const queues = [
  ['deliveries', 'webhook_deliveries', 'next_attempt_at', sql`next_attempt_at is not null`],
  ['automation runs', 'automation_runs', 'due_at', sql`due_at is not null`],
  ['exports', 'export_jobs', 'created', sql`status in ('queued', 'running')`],
] as const

const counts = queues.map(([name, table, at, waits]) => ({
  name,
  query: rawQuery(
    () => sql<{ waiting: number; oldest_at: number | null }>`
      select count(*) as waiting, min(at) as oldest_at from
      (select ${sql.ref(at)} as at from ${sql.table(table)} where ${waits} limit ${sql.lit(db_limits.queue_counted_max)}) as those`,
  ),
}))

/** Bytes of the database, and of SQLite's write-ahead log; `null` where the engine keeps it elsewhere. */
export async function databaseSize(reader: Reader): Promise<{ bytes: number | null; wal_bytes: number | null }> {
  if (reader.dialect === 'postgres') {
    const row = await reader.first(postgresBytes)
    return { bytes: row === undefined ? null : Number(row.bytes), wal_bytes: null }
  }
  const row = await reader.first(sqliteFiles)
  if (row === undefined) return { bytes: null, wal_bytes: null }
  return { bytes: row.bytes, wal_bytes: statSync(`${row.file}-wal`, { throwIfNoEntry: false })?.size ?? 0 }
}

/** The length of each queue, counted up to a bound, and the time of its first row (milliseconds). */
export async function waitingWork(reader: Reader): Promise<{ name: string; waiting: number; oldest: number | null }[]> {
  const found = []
  for (const { name, query } of counts) {
    const row = await reader.first(query)
    const oldest = row?.oldest_at ?? null
    found.push({ name, waiting: Number(row?.waiting ?? 0), oldest: oldest === null ? null : Number(oldest) })
  }
  return found
}

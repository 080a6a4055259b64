/**
 * Finds damage of a SQLite file before it is served: SQLite itself notices a bad page only when a statement reads it.
 */
import { statSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import { onceQuery, rawQuery } from '../query.ts'
import type { Finding } from '../store.ts'
import { checkElsewhere } from './check-process.ts'
import type { SqliteConnection } from './connection.ts'
import { damageOf, isSchemaMoving, namingDamage, type Part, whenFree } from './errors.ts'
import { logFileOf } from './log/file.ts'

const tables = {
  main: rawQuery(() => sql<{ name: string }>`select name from main.sqlite_schema where type = 'table'`),
  logs: rawQuery(() => sql<{ name: string }>`select name from logs.sqlite_schema where type = 'table'`),
}

const quickCheck = {
  main: rawQuery(() => sql<{ quick_check: string }>`pragma main.quick_check(1)`),
  logs: rawQuery(() => sql<{ quick_check: string }>`pragma logs.quick_check(1)`),
}

/** Reads the first row, and with it the root page, of every table. */
export function readEveryTable(connection: SqliteConnection, part: Part): void {
  for (const { name } of connection.all(tables[part], {})) {
    // Otherwise an index that covers the columns would be read instead of the table.
    const root = sql`select 1 from ${sql.table(`${part}.${name}`)} not indexed limit 1`
    connection.first(
      onceQuery(() => root),
      {},
    )
  }
}

/**
 * Rejects with DamagedDatabase if a table cannot be read or a page is wrong. The pages are checked for `limit_ms` at most;
 * a check that was cut off is a finding.
 */
export async function requireSound(
  connection: SqliteConnection,
  file: string,
  limit_ms: number = db_limits.start_check_ms,
): Promise<Finding[]> {
  const until = performance.now() + limit_ms
  const findings: Finding[] = []
  for (const part of ['main', 'logs'] as const) {
    const path = part === 'main' ? file : logFileOf(file)
    await whenFree(() => namingDamage(path, part, () => readEveryTable(connection, part)), isSchemaMoving)
    // The check opens virtual tables, too.
    const check = () => checkPages(connection, path, part, until - performance.now())
    const finding = await whenFree(check, isSchemaMoving)
    if (finding === null) findings.push(unchecked(path, limit_ms))
    else if (finding !== 'ok') throw damageOf(path, part, finding)
  }
  return findings
}

/** What quick_check says: `ok`, or the first thing that is wrong; null if it was cut off. */
async function checkPages(connection: SqliteConnection, path: string, part: Part, left_ms: number) {
  if (statSync(path).size > db_limits.start_check_here_bytes_max) return await checkElsewhere(path, left_ms)
  const [finding] = namingDamage(path, part, () => connection.all(quickCheck[part], {}))
  return finding?.quick_check ?? 'it cannot be checked'
}

function unchecked(path: string, limit_ms: number): Finding {
  const message = "the start checked only a part of the database file; 'atrium doctor' checks all of it"
  return { level: 'warn', message, details: { file: path, limit_ms } }
}

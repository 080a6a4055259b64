/**
 * Finds damage of a SQLite file before it is served: SQLite itself notices a bad page only when a statement reads it.
 */
import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { db_limits } from '../limits.ts'
import { onceQuery, rawQuery } from '../query.ts'
import type { SqliteConnection } from './connection.ts'
import { damageOf, namingDamage, type Part } from './errors.ts'
import { logFileOf } from './log-file.ts'

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
      onceQuery((db) => ({ compile: () => root.compile(db) })),
      {},
    )
  }
}

/** Throws DamagedDatabase if a table cannot be read or, in a file small enough for a full check, any page is wrong. */
export function requireSound(connection: SqliteConnection, file: string): void {
  for (const part of ['main', 'logs'] as const) {
    const path = part === 'main' ? file : logFileOf(file)
    namingDamage(path, part, () => {
      readEveryTable(connection, part)
      if (statSync(path).size > db_limits.start_check_bytes_max) return
      const [finding] = connection.all(quickCheck[part], {})
      if (finding?.quick_check !== 'ok') throw damageOf(path, part, finding?.quick_check ?? 'it cannot be checked')
    })
  }
}

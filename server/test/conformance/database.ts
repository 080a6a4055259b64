/** The whole content of a database: the rows of every table, and on SQLite every page of the file. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { World } from '../world.ts'

/** Tables that every request writes. */
const accounting = ['request_logs', 'credit_windows']

/** Table → sorted rows as text; page → digest. Leaves out what every request writes. */
export async function databaseOf(world: World): Promise<Readonly<Record<string, string>>> {
  await world.services.requestLog.flush()
  await world.services.credentials.writeUses()
  const { url } = world.database
  return url.startsWith('file:') ? sqliteOf(url) : await postgresOf(url)
}

function sqliteOf(url: string): Record<string, string> {
  const file = url.startsWith('file:///') ? fileURLToPath(url) : url.slice('file:'.length)
  const database = new DatabaseSync(file)
  const held: Record<string, string> = {}
  try {
    const [checkpoint] = database.prepare('pragma wal_checkpoint(truncate)').all()
    if (checkpoint?.busy !== 0) throw new Error('the write-ahead log is in use')
    const tables = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all()
    for (const { name } of tables) {
      if (accounting.includes(String(name))) continue
      held[String(name)] = sorted(database.prepare(`select * from "${name}"`).all())
    }
    const { page_size } = database.prepare('pragma page_size').get() as { page_size: number }
    const bytes = readFileSync(file)
    for (const { name, pageno } of database.prepare('select name, pageno from dbstat where pageno > 1').all()) {
      if (accounting.some((table) => String(name).includes(table))) continue
      const page = bytes.subarray((Number(pageno) - 1) * page_size, Number(pageno) * page_size)
      held[`page ${pageno} of ${name}`] = createHash('sha256').update(page).digest('hex')
    }
  } finally {
    database.close()
  }
  return held
}

async function postgresOf(url: string): Promise<Record<string, string>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const held: Record<string, string> = {}
    const tables = await client.query(`select tablename from pg_tables where schemaname = 'public' order by 1`)
    for (const { tablename } of tables.rows) {
      if (!accounting.includes(tablename))
        held[tablename] = sorted((await client.query(`select * from "${tablename}"`)).rows)
    }
    const sequences = await client.query('select sequencename, last_value from pg_sequences')
    held.sequences = sorted(sequences.rows)
    return held
  } finally {
    await client.end()
  }
}

function sorted(rows: readonly object[]): string {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join('\n')
}

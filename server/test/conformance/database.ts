/** The whole content of a database as digests: of every page of a file on SQLite, of every table on PostgreSQL. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { World } from '../world.ts'

/** Tables that every request writes. */
const accounting = ['request_logs', 'credit_windows']

/** Page or table → digest. Leaves out what every request writes. */
export async function databaseOf(world: World): Promise<Readonly<Record<string, string>>> {
  await world.services.requestLog.flush()
  await world.services.credentials.writeUses()
  const { url } = world.database
  if (url.startsWith('file:')) return sqliteOf(url)
  const opened = digests_on_postgres.get(world) ?? openPostgres(url)
  digests_on_postgres.set(world, opened)
  return await (await opened)()
}

/** A row that is deleted, or inserted and deleted again, leaves its bytes in a page. */
function sqliteOf(url: string): Record<string, string> {
  const file = url.startsWith('file:///') ? fileURLToPath(url) : url.slice('file:'.length)
  const database = new DatabaseSync(file)
  const held: Record<string, string> = {}
  try {
    const [checkpoint] = database.prepare('pragma wal_checkpoint(truncate)').all()
    if (checkpoint?.busy !== 0) throw new Error('the write-ahead log is in use')
    const { page_size } = database.prepare('pragma page_size').get() as { page_size: number }
    const bytes = readFileSync(file)
    for (const { name, pageno } of database.prepare('select name, pageno from dbstat where pageno > 1').all()) {
      if (accounting.some((table) => String(name).includes(table))) continue
      const page = bytes.subarray((Number(pageno) - 1) * page_size, Number(pageno) * page_size)
      held[`page ${pageno} of ${name}`] = hash('sha1', page)
    }
  } finally {
    database.close()
  }
  return held
}

/**
 * By world, because a new connection would first read the definitions of all tables, which takes ten times as long as the
 * digests. It ends when the world drops its database.
 */
const digests_on_postgres = new WeakMap<World, Promise<() => Promise<Record<string, string>>>>()

async function openPostgres(url: string): Promise<() => Promise<Record<string, string>>> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const tables = await client.query(`select tablename from pg_tables where schemaname = 'public' order by 1`)
  const digests = tables.rows
    .filter(({ tablename }) => !accounting.includes(tablename))
    .map(
      ({ tablename }) =>
        `'${tablename}', (select md5(string_agg(t::text, ' ' order by t::text)) from "${tablename}" t)`,
    )
  const sequences = `'sequences', (select string_agg(s.sequencename || s.last_value, ' ' order by s.sequencename) from pg_sequences s)`
  const pairs = [...digests, sequences]
  // A function takes at most 100 arguments.
  const objects = pairs.flatMap((_, i) =>
    i % 50 === 0 ? [`jsonb_build_object(${pairs.slice(i, i + 50).join()})`] : [],
  )
  const prepared = { name: 'digests', text: `select ${objects.join(' || ')} as held` }
  return async () => (await client.query(prepared)).rows[0].held
}

/** The state of a PostgreSQL server while others use it. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** A PostgreSQL that has not recovered after this long has given up. */
const recovery_ms = 5000

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Writes all pages and syncs their files. Never rejects: the disk may fail. */
export async function checkpoint(url: string): Promise<void> {
  await withClient(url, (client) => client.query('checkpoint')).catch(() => {})
}

/** Whether it does not recover by itself. */
export async function hasGivenUp(url: string): Promise<boolean> {
  for (const until = Date.now() + recovery_ms; Date.now() < until; await sleep(50)) {
    const answers = await withClient(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    )
    if (answers) return false
  }
  return true
}

/** Checks every row and index of a database with amcheck. Rejects with what is wrong. */
export async function assertPagesSound(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('create extension if not exists amcheck')
    await client.query(`select bt_index_check(c.oid, true) from pg_class c join pg_am a on a.oid = c.relam
      where a.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p'`)
    const { rows } = await client.query(`select c.relname, v.msg from pg_class c, verify_heapam(c.oid) v
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`)
    if (rows.length > 0) throw new Error(JSON.stringify(rows.slice(0, 3)))
  })
}

/** What PostgreSQL says of itself, beside whoever uses it. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** How long PostgreSQL may recover by itself before it counts as having given up. */
const recovering_ms = 5000

async function over<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Its pages are written, and their files synced, as they are every few minutes. Never rejects: its disk may fail. */
export async function checkpoint(url: string): Promise<void> {
  await over(url, (client) => client.query('checkpoint')).catch(() => {})
}

/** Whether it does not come back by itself. */
export async function hasGivenUp(url: string): Promise<boolean> {
  for (const until = Date.now() + recovering_ms; Date.now() < until; await sleep(50)) {
    const isThere = await over(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    )
    if (isThere) return false
  }
  return true
}

/** Every row and every index of a database holds what it should (amcheck); rejects with what does not. */
export async function assertPagesSound(url: string): Promise<void> {
  await over(url, async (client) => {
    await client.query('create extension if not exists amcheck')
    await client.query(`select bt_index_check(c.oid, true) from pg_class c join pg_am a on a.oid = c.relam
      where a.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p'`)
    const { rows } = await client.query(`select c.relname, v.msg from pg_class c, verify_heapam(c.oid) v
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`)
    if (rows.length > 0) throw new Error(JSON.stringify(rows.slice(0, 3)))
  })
}

/** The bytes of a database, to prove that something is not in it; and changes that no request can make. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Placeholder, type Query, query, type Values } from '../../src/db/query.ts'
import { logFileOf } from '../../src/db/sqlite/log/file.ts'
import type { World } from '../world.ts'

/** Everything stored, as one text. */
export async function storedText(world: World): Promise<string> {
  await world.services.requestLog.flush()
  const { url } = world.database
  if (url.startsWith('file:')) {
    const file = url.startsWith('file:///') ? fileURLToPath(url) : url.slice('file:'.length)
    return [file, logFileOf(file)]
      .flatMap((path) => [path, `${path}-wal`])
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, 'latin1'))
      .join('')
  }
  const client = new pg.Client(url)
  await client.connect()
  try {
    const tables = await client.query("select tablename from pg_tables where schemaname = 'public'")
    let text = ''
    for (const { tablename } of tables.rows) {
      const rows = await client.query(`select t::text as row from "${tablename}" t`)
      text += rows.rows.map(({ row }) => row).join('\n')
    }
    return text
  } finally {
    await client.end()
  }
}

/** Changes the database directly and clears the server's caches. */
export async function change<V extends Values>(world: World, statement: Query<unknown, V>, values: V): Promise<void> {
  await world.services.store.write('system', async (tx) => {
    await tx.run(statement, values)
  })
  world.services.credentials.forget()
}

/** Sets the organization's plan; `null` ends it. */
export const setPlan = query((db, p: Placeholder<{ plan: string | null; organization: string }>) =>
  db
    .updateTable('organizations')
    .set({ plan: p('plan') })
    .where('organization', '=', p('organization')),
)

/** Marks a credential deleted, as `DELETE /v1/api_keys/{id}` does. */
export const revoke = query((db, p: Placeholder<{ now: number | null; realm: number; id: string }>) =>
  db
    .updateTable('credentials')
    .set({ deleted_at: p('now'), digest: null })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

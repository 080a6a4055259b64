/** Opens the engine that a URL names: `file:` is the embedded SQLite, `postgres:` a PostgreSQL server. */

import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preparePostgres } from './postgres/role.ts'
import type { Store } from './store.ts'

/** The file of a `file:` URL; a relative one (`file:./data/atrium.db`) starts at the working directory. */
export function sqliteFile(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  const path = url.slice('file:'.length)
  return isAbsolute(path) ? path : resolve(path)
}

/** Opens the store. Each engine's code is loaded only when it is used. */
export async function openStore(url: string): Promise<Store> {
  if (url.startsWith('file:')) {
    const { SqliteStore } = await import('./sqlite/store.ts')
    return new SqliteStore(sqliteFile(url))
  }
  const bypasses = await preparePostgres(url)
  const { PostgresStore } = await import('./postgres/store.ts')
  return new PostgresStore(url, bypasses)
}

/** Opens the engine that a URL names: `file:` is the embedded SQLite, `postgres:` a PostgreSQL server. */

import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Address } from './postgres/client.ts'
import { preparePostgres } from './postgres/role.ts'
import { DatabaseMisconfigured, type Store } from './store.ts'

/** The file of a `file:` URL; a relative one (`file:./data/atrium.db`) starts at the working directory. */
export function sqliteFile(url: string): string {
  if (url.startsWith('file://')) return fileURLToPath(url)
  const path = url.slice('file:'.length)
  return isAbsolute(path) ? path : resolve(path)
}

/** Further URLs of a PostgreSQL database. */
export interface OtherUrls {
  /** Past the connection pooler to which the first URL leads; null without one. */
  readonly direct: string | null
  /** Read replicas. */
  readonly reads?: readonly string[]
  /** Whether statements go to the nodes of a Citus cluster, and not only to the coordinator. By default only to it. */
  readonly nodes?: boolean
}

/** Opens the store. Each engine's code is loaded only when it is used. */
export async function openStore(url: string, others: OtherUrls = { direct: null }): Promise<Store> {
  if (url.startsWith('file:')) {
    const { SqliteStore } = await import('./sqlite/store.ts')
    return new SqliteStore(sqliteFile(url))
  }
  const address = await preparePostgres(url)
  const { PostgresStore } = await import('./postgres/store.ts')
  const { direct, reads, nodes } = others
  return new PostgresStore(address, address.isPooled ? await directAddress(direct) : address, reads, nodes)
}

/** Notifications, leases and migrations need sessions that last. */
async function directAddress(url: string | null): Promise<Address> {
  if (url === null)
    throw new DatabaseMisconfigured(
      'ATRIUM_DATABASE_DIRECT_URL is required, because ATRIUM_DATABASE_URL leads to a connection pooler. Set it to the URL of PostgreSQL itself.',
    )
  const address = await preparePostgres(url)
  if (address.isPooled)
    throw new DatabaseMisconfigured(
      'ATRIUM_DATABASE_DIRECT_URL leads to a connection pooler. Set it to the URL of PostgreSQL itself.',
    )
  return address
}

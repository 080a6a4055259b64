/** Where a trial happens: a fresh database of an engine with an organization in it, and as many servers as it wants. */

import { type Installation, install } from '../server/test/durability/installation.ts'
import { endProcesses, type ServerProcess, serve } from '../server/test/durability/processes.ts'
import type { Database } from '../server/test/engines.ts'
import { migratedDatabase } from '../server/test/migrated.ts'
import { startPostgres } from '../server/test/postgres.ts'
import { planted } from './plant.ts'
import type { EngineName } from './row.ts'

export interface Place extends AsyncDisposable {
  readonly engine: EngineName
  readonly database: Database
  readonly installation: Installation
  /** Starts another server over the database. It has the planted fault too. */
  serve(more?: Readonly<Record<string, string>>): Promise<ServerProcess>
}

/** Opens a place; a PostgreSQL server is started where the environment names none. */
export async function openPlace(engine: EngineName, environment: Record<string, string> = {}): Promise<Place> {
  const named = process.env.ATRIUM_TEST_POSTGRES_URL
  const own = engine === 'postgres' && named === undefined ? await startPostgres() : null
  if (own !== null) process.env.ATRIUM_TEST_POSTGRES_URL = own.url
  const database = await migratedDatabase(engine)
  const installation = await install(database.url, database.folder, environment)
  return {
    engine,
    database,
    installation,
    serve: (more = {}) => serve({ ...planted(), ...installation.environment, ...more }),
    async [Symbol.asyncDispose]() {
      endProcesses()
      await database.remove()
      if (own === null) return
      delete process.env.ATRIUM_TEST_POSTGRES_URL
      await own.stop()
    },
  }
}

export const engines: readonly EngineName[] = ['sqlite', 'postgres']

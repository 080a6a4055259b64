/** A fresh database of an engine with an organization in it, and any number of servers over it. */
import { type Installation, install } from '../server/test/durability/installation.ts'
import { endProcesses, type ServerProcess, serve } from '../server/test/durability/processes.ts'
import type { Database } from '../server/test/engines.ts'
import { migratedDatabase } from '../server/test/migrated.ts'
import { planted } from './plant.ts'
import { ensurePostgres } from './postgres.ts'
import type { EngineName } from './row.ts'

export interface Deployment extends AsyncDisposable {
  readonly engine: EngineName
  readonly database: Database
  readonly installation: Installation
  /** Starts a server over the database, with the planted fault. */
  serve(environment?: Readonly<Record<string, string>>): Promise<ServerProcess>
}

export async function openDeployment(
  engine: EngineName,
  environment: Record<string, string> = {},
): Promise<Deployment> {
  const postgres = await ensurePostgres(engine)
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
      await postgres[Symbol.asyncDispose]()
    },
  }
}

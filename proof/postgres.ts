/** The PostgreSQL server of a trial: the one that the environment names, or a new one. */
import { startPostgres } from '../server/test/postgres.ts'
import type { EngineName } from './row.ts'

export interface TrialPostgres extends AsyncDisposable {
  /** The folder of a server started here. */
  readonly folder: string | null
}

/** Starts a server if the engine needs one and the environment names none. The environment names it until it is disposed. */
export async function ensurePostgres(engine: EngineName): Promise<TrialPostgres> {
  if (engine !== 'postgres' || process.env.ATRIUM_TEST_POSTGRES_URL !== undefined) {
    return { folder: null, async [Symbol.asyncDispose]() {} }
  }
  const server = await startPostgres()
  process.env.ATRIUM_TEST_POSTGRES_URL = server.url
  return {
    folder: server.dataDir,
    async [Symbol.asyncDispose]() {
      delete process.env.ATRIUM_TEST_POSTGRES_URL
      await server.stop()
    },
  }
}

/** A world of the tests for as long as a trial needs it, with a PostgreSQL of its own where the environment names none. */
import { startPostgres } from '../server/test/postgres.ts'
import { openWorld, type World, type WorldOptions } from '../server/test/world.ts'
import type { EngineName } from './row.ts'

/** Opens a world, has it used, and closes it, whatever comes of it. `cluster`: the folder of its own PostgreSQL, if any. */
export async function inWorld<T>(
  engine: EngineName,
  options: WorldOptions,
  use: (world: World, cluster: string | null) => Promise<T>,
): Promise<T> {
  const isOwn = engine === 'postgres' && process.env.ATRIUM_TEST_POSTGRES_URL === undefined
  const own = isOwn ? await startPostgres() : null
  if (own !== null) process.env.ATRIUM_TEST_POSTGRES_URL = own.url
  try {
    const world = await openWorld(engine, options)
    try {
      return await use(world, own?.dataDir ?? null)
    } finally {
      await world.close()
    }
  } finally {
    if (own !== null) {
      delete process.env.ATRIUM_TEST_POSTGRES_URL
      await own.stop()
    }
  }
}

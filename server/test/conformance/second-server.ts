/** A second server over a world's database, with the same clock. */
import { readConfig } from '../../src/config.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { test_secret_key } from '../environment.ts'
import type { World } from '../world.ts'

/** Close it before the world. */
export function startSecond(world: World, environment: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const config = readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_DATA_DIR: world.database.folder,
    ATRIUM_DATABASE_URL: world.database.url,
    ATRIUM_SECRET_KEY: test_secret_key,
    ATRIUM_LOG_LEVEL: 'error',
    ATRIUM_WORKERS: 'false',
    ...environment,
  })
  return startServer(config, { clock: world.clock })
}

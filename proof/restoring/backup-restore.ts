/** A backup by the command line, and the checks of the database it is restored into. */
import { readConfig } from '../../server/src/config.ts'
import { readBackup, writeBackup } from '../../server/src/db/backup/backup.ts'
import type { Store } from '../../server/src/db/store.ts'
import { startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'
import { assertReplays, assertSound } from '../../server/test/durability/soundness.ts'
import type { Answered } from '../../server/test/durability/writers.ts'
import { newDatabase } from '../../server/test/engines.ts'
import { assertFolds } from '../../server/test/fold.ts'
import type { Deployment } from '../deployment.ts'
import { type EngineName, reportFailure, type Violated } from '../row.ts'
import { withStore } from '../with-store.ts'
import { runAtrium } from './run-atrium.ts'
import { type Snapshot, snapshotOf } from './snapshot-of-writes.ts'

export async function backUp({ installation }: Deployment, file: string): Promise<void> {
  await runAtrium(['backup', file], installation.environment)
}

export interface Restore {
  readonly deployment: Deployment
  readonly file: string
  /** The engine to restore into. */
  readonly engine: EngineName
  /** Writes answered before the backup began, to be repeated. */
  readonly replayed: readonly Answered[]
  readonly violated: Violated
}

/**
 * Restores a backup by the command line and checks it: rows equal the backup's, logs are whole and agree with what is shown,
 * replays get their first answers. Returns `null` if the restore failed.
 */
export async function restoreAndCheck(restore: Restore): Promise<Snapshot | null> {
  const { deployment, file, engine, violated } = restore
  const { installation } = deployment
  const database = await newDatabase(engine)
  const environment = { ...installation.environment, ATRIUM_DATABASE_URL: database.url }
  try {
    const failure = await runAtrium(['restore', file], environment).then(
      () => null,
      (error: Error) => error,
    )
    if (failure !== null) {
      violated(failure.message)
      return null
    }
    return await withStore(database.url, async (store) => {
      const { tables } = await writeBackup(store, `${file}.again`, { created: 0, secret_key: '' })
      const expected = (await readBackup(file)).tables
      if (JSON.stringify(tables) !== JSON.stringify(expected)) violated('the tables have other rows')
      const reader = store.reader('system')
      await reportFailure(violated, 'logs', () => assertSound(reader, installation.organization))
      const snapshot = await snapshotOf(reader, installation.realms.live)
      await checkServer(store, environment, restore)
      return snapshot
    })
  } finally {
    await database.remove()
  }
}

async function checkServer(
  store: Store,
  environment: Readonly<Record<string, string>>,
  { deployment, replayed, violated }: Restore,
): Promise<void> {
  const { key, realms } = deployment.installation
  const server = await startServer(readConfig(environment))
  try {
    const get = (path: string) => call(server.url, 'GET', path, { key })
    const world = { services: { store }, acme: { realms }, get }
    await reportFailure(violated, 'events folded into objects', () => assertFolds(world))
    await reportFailure(violated, 'replays', () => assertReplays(server.url, key, replayed))
  } finally {
    await server.close()
  }
}

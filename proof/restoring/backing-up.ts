/** A backup by the command line, and what stands in a database that it was restored into. */
import { readConfig } from '../../server/src/config.ts'
import { type Manifest, readBackup, writeBackup } from '../../server/src/db/backup.ts'
import { openStore } from '../../server/src/db/open.ts'
import type { Store } from '../../server/src/db/store.ts'
import { startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'
import { assertReplays, assertSound } from '../../server/test/durability/soundness.ts'
import type { Answered } from '../../server/test/durability/writers.ts'
import { newDatabase } from '../../server/test/engines.ts'
import { assertFolds } from '../../server/test/fold.ts'
import { told } from '../mixed.ts'
import type { Place } from '../place.ts'
import type { EngineName } from '../row.ts'
import { type Moment, momentOf } from './allowed.ts'
import { atrium } from './atrium.ts'

/** Rejects where the command fails. */
export async function backUp(place: Place, file: string): Promise<void> {
  const { code, told: said } = await atrium(['backup', file], place.installation.environment)
  if (code !== 0) throw new Error(`backup: ${said}`)
}

export interface Restoring {
  readonly place: Place
  readonly file: string
  /** Into which it is restored. */
  readonly engine: EngineName
  /** Writes that were answered before the backup began, some of them to be sent again. */
  readonly some: readonly Answered[]
  violated(text: string): void
}

/**
 * Restores it with the command line and looks at it from inside and outside: the rows are those of the backup, the logs are
 * whole and tell of what is shown, and what was answered is answered again. `null`: it was not restored.
 */
export async function restored({ place, file, engine, some, violated }: Restoring): Promise<Moment | null> {
  const { installation } = place
  const database = await newDatabase(engine)
  const environment = { ...installation.environment, ATRIUM_DATABASE_URL: database.url }
  try {
    const { code, told: said } = await atrium(['restore', file], environment)
    if (code !== 0) {
      violated(`it was not restored: ${said}`)
      return null
    }
    const store = await openStore(database.url)
    try {
      const { tables } = await writeBackup(store, `${file}.again`, { created: 0, secret_key: '' })
      if (sums(tables) !== sums((await readBackup(file)).tables)) violated('the tables have other rows')
      await told(violated, 'the logs', () => assertSound(store.reader('system'), installation.organization))
      const moment = await momentOf(store.reader('system'), installation.realms.live)
      await served(store, environment, { place, some, violated })
      return moment
    } finally {
      await store.close()
    }
  } finally {
    await database.remove()
  }
}

/** A server over it shows what the events tell of. */
async function served(
  store: Store,
  environment: Readonly<Record<string, string>>,
  { place, some, violated }: Pick<Restoring, 'place' | 'some' | 'violated'>,
): Promise<void> {
  const { key, realms } = place.installation
  const server = await startServer(readConfig(environment))
  try {
    const get = (path: string) => call(server.url, 'GET', path, { key })
    await told(violated, 'the fold', () => assertFolds({ services: { store }, acme: { realms }, get }))
    await told(violated, 'a replay', () => assertReplays(server.url, key, some))
  } finally {
    await server.close()
  }
}

function sums(tables: Manifest['tables']): string {
  return JSON.stringify(tables)
}

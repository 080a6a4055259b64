/** Backups that are taken while clients write, restored on either engine and examined; and bits that are flipped. */
import { join } from 'node:path'
import { readConfig } from '../../server/src/config.ts'
import { type Manifest, readBackup, writeBackup } from '../../server/src/db/backup.ts'
import { openStore } from '../../server/src/db/open.ts'
import { startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { assertReplays, assertSound } from '../../server/test/durability/soundness.ts'
import type { Answered } from '../../server/test/durability/writers.ts'
import { newDatabase } from '../../server/test/engines.ts'
import { assertFolds } from '../../server/test/fold.ts'
import { atrium } from '../atrium.ts'
import { flipBackup, flipPostgres, flipSqlite } from '../flips.ts'
import { countCommits, openMixed, told } from '../mixed.ts'
import { engines, openPlace, type Place } from '../place.ts'
import { row, type Trial } from '../row.ts'

/** Bits that are flipped in each backup, one after the other. */
const flips = 30

type Count = (name: string) => void

export const restore = row({
  name: 'restore',
  promise:
    'A backup taken under load is one moment of everything, and either engine restores it exactly; a flipped bit in it is detected.',
  cycle: `a backup by the command line while 16 clients write, restored into an empty database, examined, and ${flips} flipped bits of it; on SQLite also 6 of the database's own files, on PostgreSQL one of a table`,
  cycles: { short: 2, long: 120 },
  unproven: [
    'A bit flipped in the database file of SQLite: it keeps no checksums of its pages. Figures tell how many flips were harmless, detected on reading, found by `atrium doctor` and `atrium audit verify`, and how many nothing found (`file served`). Use a file system with checksums (ZFS, Btrfs), or PostgreSQL.',
    'A bit flipped in the write-ahead log of SQLite is never served, but ends the log there: after a crash the database stands as it did before that write, whole, and what came later is gone (`wal cut`).',
    'Data checksums of PostgreSQL are the default since release 18; `atrium doctor` warns where they are off.',
  ],
  async run(trial) {
    const figures: Record<string, number> = {}
    const count: Count = (name) => {
      figures[name] = (figures[name] ?? 0) + 1
    }
    // Opened first: backups of either are restored into both.
    await using postgres = await openPlace('postgres')
    await using sqlite = await openPlace('sqlite')
    for (const place of [sqlite, postgres]) {
      const server = await place.serve()
      await cyclesOf(trial, place, server, Math.ceil(trial.cycles / 2), count)
    }
    return { cycles: trial.cycles, figures }
  },
})

async function cyclesOf(trial: Trial, place: Place, server: ServerProcess, cycles: number, count: Count) {
  const { writers } = await openMixed(place, server.url, trial.dice.fork())
  writers.start(() => server.url, place.installation.key)
  const { folder } = place.database
  let newest = ''
  for (let cycle = 0; cycle < cycles; cycle++) {
    await writers.more(trial.dice.int(16, 64))
    const before = [...writers.answered]
    newest = join(folder, `backup-${cycle}.gz`)
    const { code, told: said } = await atrium(['backup', newest], place.installation.environment)
    if (code !== 0) throw new Error(`backup: ${said}`)
    const meanwhile = writers.answered.length - before.length
    for (let i = 0; i < meanwhile; i++) count('acknowledged while backups ran')
    await restored(trial, place, newest, before)
    await flipsOf(trial, newest, count)
    trial.say(`${place.engine}: ${cycle + 1} of ${cycles}`)
  }
  await writers.more(1)
  writers.giveUp()
  await server.kill()
  for (const wrong of writers.wrong) trial.violated(wrong)
  if (place.engine === 'sqlite') await sqliteFlips(trial, place, 6 * cycles, count)
  else {
    const came = await flipPostgres(newest, folder, cycles, trial.dice)
    for (const each of came) tally(trial, count, 'page', each)
  }
}

/** Everything that was acknowledged before the backup began is restored, once, and the logs tell of what is shown. */
async function restored(trial: Trial, place: Place, file: string, before: readonly Answered[]): Promise<void> {
  const { installation } = place
  const engine = trial.dice.pick(engines)
  const violated = (text: string) => trial.violated(`${place.engine} into ${engine}: ${text}`)
  const database = await newDatabase(engine)
  const environment = { ...installation.environment, ATRIUM_DATABASE_URL: database.url }
  try {
    const { code, told: said } = await atrium(['restore', file], environment)
    if (code !== 0) return violated(`it was not restored: ${said}`)
    const store = await openStore(database.url)
    try {
      const { tables } = await writeBackup(store, `${file}.again`, { created: 0, secret_key: '' })
      const manifest = await readBackup(file)
      if (sums(tables) !== sums(manifest.tables)) violated('the tables have other rows')
      const reader = store.reader('system')
      await told(violated, 'the logs', () => assertSound(reader, installation.organization))
      const { lost, doubled } = await countCommits(reader, installation.realms.live, before)
      for (let i = 0; i < lost; i++) violated('an acknowledged write is not in it')
      for (let i = 0; i < doubled; i++) violated('a write is in it twice')
    } finally {
      await store.close()
    }
    await served(violated, installation, environment, trial.dice.shuffle(before).slice(0, 40))
  } finally {
    await database.remove()
  }
}

type Environment = Readonly<Record<string, string>>

async function served(
  violated: (text: string) => void,
  { key, realms }: Place['installation'],
  environment: Environment,
  some: readonly Answered[],
): Promise<void> {
  const server = await startServer(readConfig(environment))
  const store = await openStore(environment.ATRIUM_DATABASE_URL as string)
  try {
    const get = (path: string) => call(server.url, 'GET', path, { key })
    await told(violated, 'the fold', () => assertFolds({ services: { store }, acme: { realms }, get }))
    await told(violated, 'a replay', () => assertReplays(server.url, key, some))
  } finally {
    await store.close()
    await server.close()
  }
}

function sums(tables: Manifest['tables']): string {
  return JSON.stringify(tables)
}

async function flipsOf(trial: Trial, file: string, count: Count): Promise<void> {
  const manifest = await readBackup(file)
  for (let i = 0; i < flips; i++) tally(trial, count, 'backup', await flipBackup(file, manifest, trial.dice))
}

function tally(trial: Trial, count: Count, what: string, came: string): void {
  count(`${what} ${came}`)
  if (came === 'served') trial.violated(`a flipped bit of a ${what} was served`)
}

async function sqliteFlips(trial: Trial, place: Place, cycles: number, count: Count): Promise<void> {
  const { url, folder } = place.database
  const killed = { file: url.slice('file:'.length), folder, organization: place.installation.organization }
  for (let i = 0; i < cycles; i++) {
    if (i % 2 === 0) tally(trial, count, 'wal', await flipSqlite(killed, '-wal', trial.dice))
    else count(`file ${await flipSqlite(killed, '', trial.dice)}`)
  }
}

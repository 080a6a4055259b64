import { existsSync, statSync } from 'node:fs'
import { type Config, readConfig } from '../config.ts'
import { command, Failure, UsageError } from './command.ts'
import { keyFile, restoreInto } from './database-files.ts'
import { opened } from './open.ts'
import { moment } from './options.ts'

/**
 * Loads a backup into an empty database of either engine, after verifying all of it; or a moment of a continuous backup into
 * a database file or the files of a PostgreSQL server. A refused one leaves nothing behind.
 */
export const restore = command({
  name: 'restore',
  group: 'Keeping watch',
  summary: 'Load a backup into an empty database',
  details:
    'The file is verified first, then loaded as a whole or not at all. Either engine loads it. The installation needs the\n' +
    'secret key of the time of the backup.\n' +
    'From a folder or bucket of backup --follow it restores the embedded database as it was at a moment, verified before it\n' +
    'is put in its place, and the content of files; of PostgreSQL the files of the server, which are recovered and verified\n' +
    'by the program postgres of the same release.',
  argument: { shows: '<file>', does: 'File that backup wrote, or the folder or bucket of backup --follow.' },
  options: {
    verifyOnly: { flag: true, shows: '', does: 'Only verify the backup.' },
    at: {
      shows: '<time>',
      does: 'Moment to restore, such as 2027-01-31T12:00:00Z or seconds since 1970; by default the newest.',
      read: moment,
    },
    into: {
      shows: '<folder>',
      does: 'Empty folder for the files of a PostgreSQL server, from the continuous backup of one.',
    },
  },
  examples: [
    'atrium restore /backups/atrium-2027-01-31.gz',
    'atrium restore backup.gz --verify-only',
    'atrium restore /backups/atrium --at 2027-01-31T12:00:00Z',
    'atrium restore /backups/atrium --at 2027-01-31T12:00:00Z --into /var/lib/postgresql/restored',
  ],
  async run({ verifyOnly, at, into }, file) {
    if (isDestination(file)) {
      const { restoreState } = await import('./restore-state.ts')
      return await restoreState(file, { at: at ?? null, verifyOnly: verifyOnly === true, into, requireKey })
    }
    if (at !== undefined)
      throw new UsageError('--at is only allowed with the folder or bucket of a continuous backup.', 'at')
    if (into !== undefined)
      throw new UsageError('--into is only allowed with the folder or bucket of a continuous backup.', 'into')
    const { BadBackup, readBackup } = await import('../db/backup/backup.ts')
    const { CannotRestore } = await import('../db/backup/restore.ts')
    try {
      const manifest = verifyOnly ? await readBackup(file) : await load(file)
      const what = verifyOnly ? 'The backup is complete' : 'Restored'
      return { json: { file, ...manifest }, text: `${what}: ${manifest.rows} rows.` }
    } catch (error) {
      if (error instanceof BadBackup) throw new Failure(`${file} cannot be restored: ${error.message}.`)
      if (error instanceof CannotRestore) throw new Failure(`${file} was not restored: ${error.message}.`)
      if ((error as { code?: unknown }).code === 'ENOENT') throw new Failure(`There is no file ${file}.`)
      throw error
    }
  },
})

/** Whether this is the folder or bucket of a continuous backup, and not the file of another one. */
function isDestination(place: string): boolean {
  return place.startsWith('s3://') || (existsSync(place) && statSync(place).isDirectory())
}

const bucket_advice =
  'The backup holds no content of files: it is in the bucket of the installation. Set ATRIUM_FILES_URL to that bucket, or to a copy.'

/** Nothing is created before the file is verified and the key is known to be the backup's. */
async function load(file: string) {
  const config = readConfig()
  const { holdsNoContent, readBackup } = await import('../db/backup/backup.ts')
  const about = await readBackup(file)
  const key = await requireKey(config, about.secret_key)
  const { openSealer } = await import('../db/secret-key/check.ts')
  const { restoreBackup } = await import('../db/backup/restore.ts')
  const { openStore } = await import('../db/open.ts')
  const { systemClock } = await import('../lib/clock.ts')
  const [{ openFiles }, { RestoredContents }] = await Promise.all([import('../main.ts'), import('../files/backup.ts')])
  return await restoreInto(config, async () => {
    const store = await opened(config, () => openStore(config.databaseUrl, config.databaseUrls))
    try {
      const files = openFiles(config, store)
      // Content that is not in the backup is in the bucket of its installation.
      if (files.store.isLocal && holdsNoContent(about)) throw new Failure(bucket_advice)
      const contents = new RestoredContents(files.store, files.uploads)
      const manifest = await restoreBackup(store, file, systemClock.now(), contents)
      await openSealer(store, key)
      return manifest
    } finally {
      await store.close()
    }
  })
}

/** The key that the backup was made with: with another one no credential would be known and nothing sealed could be opened. */
async function requireKey(config: Config, fingerprint: string): Promise<Buffer> {
  const file = keyFile(config)
  const advice = `Set ATRIUM_SECRET_KEY to the backup's key, or put its secret.key at ${file}.`
  if (config.secretKey === null && !existsSync(file)) {
    throw new Failure(`There is no secret key at ${file}, and the server would create another secret key. ${advice}`)
  }
  const { Sealer } = await import('../lib/seal.ts')
  const { secretKeyOf } = await import('../secret-key.ts')
  const key = secretKeyOf(config)
  if (new Sealer(key).fingerprint === fingerprint) return key
  throw new Failure(`The backup was made with another secret key. ${advice}`)
}

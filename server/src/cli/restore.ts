import { command, Failure } from './command.ts'
import { withStore } from './open.ts'

/** Puts a backup into an empty database, of whichever engine, after verifying all of it. */
export const restore = command({
  name: 'restore',
  group: 'Keeping watch',
  summary: 'Put a backup into an empty database',
  details:
    'The file is verified first, and goes in whole or not at all. It fits either engine. The installation needs the ' +
    'secret key that the backup was made with.',
  argument: { shows: '<file>', does: 'what backup wrote' },
  options: { verifyOnly: { flag: true, shows: '', does: 'only verifies the file' } },
  examples: ['atrium restore /backups/atrium-2027-01-31.gz', 'atrium restore backup.gz --verify-only'],
  async run({ verifyOnly }, file) {
    const { BadBackup, readBackup } = await import('../db/backup/backup.ts')
    const { CannotRestore, restoreBackup } = await import('../db/backup/restore.ts')
    try {
      const manifest = verifyOnly
        ? await readBackup(file)
        : await withStore(
            async (store, config) => {
              const { Sealer } = await import('../lib/seal.ts')
              const { secretKeyOf } = await import('../secret-key.ts')
              const { systemClock } = await import('../lib/clock.ts')
              const { openSealer } = await import('../db/secret-key/check.ts')
              const key = secretKeyOf(config)
              await requireKey(file, new Sealer(key).fingerprint)
              const manifest = await restoreBackup(store, file, systemClock.now())
              await openSealer(store, key)
              return manifest
            },
            { create: true, anyKey: true },
          )
      const what = verifyOnly ? 'The backup is whole' : 'Restored'
      return { json: { file, ...manifest }, text: `${what}: ${manifest.rows} rows.` }
    } catch (error) {
      if (error instanceof BadBackup || error instanceof CannotRestore) throw new Failure(error.message)
      if ((error as { code?: unknown }).code === 'ENOENT') throw new Failure(`there is no file ${file}`)
      throw error
    }
  },
})

/** With another key no credential would be known and nothing sealed could be opened. */
async function requireKey(file: string, fingerprint: string): Promise<void> {
  const { readBackup } = await import('../db/backup/backup.ts')
  const { secret_key } = await readBackup(file)
  if (secret_key === fingerprint) return
  throw new Failure(
    'the backup was made with another secret key: set ATRIUM_SECRET_KEY (or put its secret.key into the data directory)',
  )
}

import { resolve } from 'node:path'
import { command, Failure } from './command.ts'
import { requireMigrated, withServices } from './open.ts'
import { table } from './print.ts'

const lost_content_advice = "'atrium doctor' names the files. Restore their content, or delete them."

/** Writes all data of one moment to a file, beside running servers. An incomplete file is removed. */
export const backup = command({
  name: 'backup',
  group: 'Keeping watch',
  summary: 'Write all data to a file, beside running servers',
  details:
    'The backup shows the whole installation at one moment, with the content of files and with hashes. It does not\n' +
    'contain the secret key: store ATRIUM_SECRET_KEY (or data/secret.key) elsewhere, because sealed values cannot be\n' +
    'opened without it.',
  argument: { shows: '<file>', does: 'File to write; it must not exist.' },
  examples: ['atrium backup /backups/atrium-2027-01-31.gz'],
  async run(_given, file) {
    const { existsSync } = await import('node:fs')
    if (existsSync(file)) throw new Failure(`${file} exists already. A backup never overwrites a file: name another.`)
    return await withServices(async ({ store, sealer, clock, files }) => {
      await requireMigrated(store)
      const [{ ContentLost, writeBackup }, { readPieces }] = await Promise.all([
        import('../db/backup/backup.ts'),
        import('../files/backup.ts'),
      ])
      const about = { created: clock.now(), secret_key: sealer.fingerprint }
      // A service of objects has its own copies: the rows name and hash what lies there.
      const contents = files.store.isLocal ? (key: string, bytes: number) => readPieces(files.store, key, bytes) : null
      const manifest = await writeBackup(store, resolve(file), about, contents).catch((error) => {
        if (error instanceof ContentLost)
          throw new Failure(`No backup was written: ${error.message}. ${lost_content_advice}`)
        throw error
      })
      const { tables, ...head } = manifest
      const lines = Object.entries(tables).filter(([, { rows }]) => rows > 0)
      const text = table(lines.map(([name, { rows }]) => [name, String(rows)]))
      return {
        json: { file: resolve(file), ...head, tables },
        text: `${text}\n\n${manifest.rows} rows in ${resolve(file)}`,
      }
    })
  },
})

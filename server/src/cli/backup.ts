import { resolve } from 'node:path'
import { command, Failure } from './command.ts'
import { requireMigrated, withServices } from './open.ts'
import { table } from './print.ts'

/** Writes all data of one moment to a file, beside running servers. An incomplete file is removed. */
export const backup = command({
  name: 'backup',
  group: 'Keeping watch',
  summary: 'Write all data to a file, beside running servers',
  details:
    'The backup shows the whole installation at one moment, with hashes. It does not contain the secret key: store\n' +
    'ATRIUM_SECRET_KEY (or data/secret.key) elsewhere, because sealed values cannot be opened without it.',
  argument: { shows: '<file>', does: 'File to write; it must not exist.' },
  examples: ['atrium backup /backups/atrium-2027-01-31.gz'],
  async run(_given, file) {
    const { existsSync } = await import('node:fs')
    if (existsSync(file)) throw new Failure(`${file} exists already. A backup never overwrites a file: name another.`)
    return await withServices(async ({ store, sealer, clock }) => {
      await requireMigrated(store)
      const { writeBackup } = await import('../db/backup/backup.ts')
      const about = { created: clock.now(), secret_key: sealer.fingerprint }
      const manifest = await writeBackup(store, resolve(file), about)
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

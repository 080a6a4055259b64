import { dirname, resolve } from 'node:path'
import { db_limits } from '../db/limits.ts'
import { command, Failure, UsageError } from './command.ts'
import { requireMigrated, withServices } from './open.ts'
import { wholeNumber } from './options.ts'
import { table } from './print.ts'

const lost_content_advice = "'atrium doctor' names the files. Restore their content, or delete them."

/**
 * Writes all data of one moment to a file, beside running servers; an incomplete file is removed. Or follows the database and
 * copies what is committed, or tries whether such a copy can be restored.
 */
export const backup = command({
  name: 'backup',
  group: 'Keeping watch',
  summary: 'Write all data to a file, beside running servers',
  details:
    'The backup shows the whole installation at one moment, with the content of files and with hashes. It does not\n' +
    'contain the secret key: store ATRIUM_SECRET_KEY (or data/secret.key) elsewhere, because sealed values cannot be\n' +
    'opened without it.\n' +
    'With --follow the command runs until a signal and copies each commit within 10 s to a folder or a bucket\n' +
    '(s3://bucket/prefix?endpoint=https://host, with the key pair of the files), encrypted with ATRIUM_BACKUP_KEY if it is\n' +
    'set. On PostgreSQL it copies the whole cluster, and the role needs the attribute REPLICATION. --drill restores the\n' +
    'newest state from there into a temporary folder and checks it; it exits with 1 if that fails. --unfollow ends the\n' +
    'copying for good.',
  argument: {
    shows: '<file>',
    does: 'File to write; it must not exist. With --follow, --drill or --unfollow: the folder or bucket of the copy.',
  },
  options: {
    follow: { flag: true, shows: '', does: 'Copy what is committed, continuously.' },
    drill: { flag: true, shows: '', does: 'Try a restore from what --follow copied.' },
    unfollow: {
      flag: true,
      shows: '',
      does: 'End the copying for good; PostgreSQL then keeps no log for it.',
    },
    keep: {
      shows: '<days>',
      does: `Days whose every moment can be restored (with --follow; ${db_limits.follow_keep_days_default} by default).`,
      read: (text: string) => wholeNumber(text, 1, db_limits.follow_keep_days_max),
    },
  },
  examples: [
    'atrium backup /backups/atrium-2027-01-31.gz',
    'atrium backup --follow /backups/atrium --keep 30',
    'atrium backup --drill /backups/atrium',
  ],
  async run({ follow, drill, unfollow, keep }, file) {
    if (follow && drill) throw new UsageError('Give --follow or --drill, not both.', 'drill')
    if (unfollow && (follow || drill))
      throw new UsageError('--unfollow is only allowed without --follow and --drill.', 'unfollow')
    if (keep !== undefined && !follow) throw new UsageError('--keep is only allowed with --follow.', 'keep')
    if (follow)
      return await (await import('./backup-follow.ts')).follow(file, keep ?? db_limits.follow_keep_days_default)
    if (unfollow) return await (await import('./backup-follow.ts')).unfollow(file)
    if (drill) return await (await import('./backup-drill.ts')).drill(file)
    await requireFreeName(file)
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
        if ('syscall' in error) throw new Failure(`No backup was written: ${error.message}.`)
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

async function requireFreeName(file: string): Promise<void> {
  const { existsSync, statSync } = await import('node:fs')
  if (existsSync(file)) throw new Failure(`${file} exists already. A backup never overwrites a file: name another.`)
  const folder = dirname(resolve(file))
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  throw new Failure(`There is no folder ${folder} for the backup. Create it, or name a file in another one.`)
}

/**
 * Brings a database with data to today's tables, after a backup of the data as they are. The backup has the tables of the earlier
 * version, whose program restores it: this is the way back, because migrations have none. An upgrade that was interrupted
 * continues with the backup that it began with.
 */
import { mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { appliedMigrations, migrate, migrations, pendingMigrations, requireKnownMigrations } from '../migrate.ts'
import { rawQuery } from '../query.ts'
import { type Store, UpgradeRefused } from '../store.ts'
import { BadBackup, type ReadContents, readBackup, writeBackup } from './backup.ts'

/** The folder of a data directory that has the backups. */
export const upgrades_folder = 'upgrades'

export interface UpgradeBackups {
  /** Created if it is missing. */
  readonly folder: string
  /** The fingerprint of the installation's secret key. */
  readonly secret_key: string
  /** The content of files; null if it is in a bucket. */
  readonly contents: ReadContents | null
  /** Called before the backup is written, which takes as long as `atrium backup`. */
  readonly begin?: (file: string) => void
}

export interface Upgraded {
  /** Names of the migrations that were applied, in order. */
  readonly applied: readonly string[]
  /** The backup of the state before them; null if none was needed. */
  readonly backup: string | null
}

/**
 * Applies missing migrations; before the first one, backs up a database that has an organization. `backups` null: without a
 * backup. `now` in milliseconds. Rejects with UpgradeRefused, and changes nothing, if the backup cannot be written.
 */
export async function upgrade(store: Store, now: number, backups: UpgradeBackups | null): Promise<Upgraded> {
  await requireKnownMigrations(store)
  const isNeeded = backups !== null && (await hasDataOfEarlierVersion(store))
  const backup = isNeeded ? await backUp(store, now, backups) : null
  return { applied: await migrate(store, now), backup }
}

const anyOrganization = rawQuery(() => sql<{ organization: string }>`select organization from organizations limit 1`)

async function hasDataOfEarlierVersion(store: Store): Promise<boolean> {
  const pending = await pendingMigrations(store)
  if (pending.length === 0 || pending.length === migrations.length) return false
  return (await store.reader('system').first(anyOrganization)) !== undefined
}

/** Returns the file. One that an interrupted upgrade began with stays, because the data are no longer those of the earlier version. */
async function backUp(store: Store, now: number, { folder, secret_key, contents, begin }: UpgradeBackups) {
  const prefix = `before-${migrations.at(-1)?.name}-`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const begun = await begunBackup(store, folder, prefix, secret_key)
    if (begun !== null) return begun
    const file = join(folder, `${prefix}${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}.gz`)
    begin?.(file)
    await writeBackup(store, file, { created: now, secret_key }, contents)
    return file
  } catch (error) {
    const advice =
      'Correct that, or make a backup by other means and set ATRIUM_UPGRADE_BACKUP=false. Nothing was changed.'
    const reason = error instanceof Error ? error.message : String(error)
    throw new UpgradeRefused(
      `The database was not upgraded, because no backup could be written to ${folder}: ${reason}. ${advice}`,
      { cause: error },
    )
  }
}

/** The newest whole backup from which an interrupted upgrade to today's tables began, or null. */
async function begunBackup(store: Store, folder: string, prefix: string, secret_key: string): Promise<string | null> {
  const applied = new Set(await appliedMigrations(store))
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix) && name.endsWith('.gz'))
  const newest = names.sort().at(-1)
  if (newest === undefined) return null
  const file = join(folder, newest)
  const manifest = await readBackup(file).catch((error: unknown) => {
    if (error instanceof BadBackup) return null
    throw error
  })
  if (manifest === null || manifest.secret_key !== secret_key) return null
  const isEarlier = manifest.migrations.length < applied.size && manifest.migrations.every((name) => applied.has(name))
  return isEarlier ? file : null
}

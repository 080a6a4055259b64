/** `atrium restore` from a continuous backup: builds the database beside its place, verifies it there, and moves it in. */
import { existsSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { referencedContents } from '../db/backup/backup.ts'
import { readCopied } from '../db/backup/follow/contents.ts'
import { BadDestination } from '../db/backup/follow/marker.ts'
import { findState, type Restored, writeState } from '../db/backup/follow/state.ts'
import { SqliteStore } from '../db/sqlite/store.ts'
import { folder_mode } from '../lib/private-path.ts'
import { explaining, type OpenedDestination, openDestination } from './backup-destination.ts'
import { tryState } from './backup-drill.ts'
import { Failure, type Outcome } from './command.ts'
import { databaseFile, isMissing, isRestoring, restoreInto } from './database-files.ts'
import { noteMissing, requireConfiguredKey, verifyDatabase } from './verify-state.ts'

/** Restores the newest state at or before `at` (milliseconds; null: the newest), or only tries to. */
export async function restoreState(
  place: string,
  { at, verifyOnly, requireKey }: { at: number | null; verifyOnly: boolean; requireKey: RequireKey },
): Promise<Outcome> {
  const config = readConfig()
  if (verifyOnly) {
    const opened = await openDestination(config, place)
    const tried = await tryState(config, opened, at)
    return { json: { destination: opened.destination.place, ...tried }, text: `The backup restores ${shown(tried)}.` }
  }
  const file = await requireEmptyPlace(config)
  const opened = await openDestination(config, place)
  const restored = await explaining(() => load(config, file, opened, at, requireKey))
  const files = await restoreContents(config, file, opened)
  const text = `Restored ${shown(restored)}.${filesText(files)}`
  return { json: { destination: opened.destination.place, ...restored, files }, text, bad: files.missing.count > 0 }
}

/** The configured key must be the database's. */
type RequireKey = (config: Config, fingerprint: string) => Promise<unknown>

const shown = ({ covered, bytes }: Restored) =>
  `the state of ${new Date(covered).toISOString()} (${bytes} bytes of database)`

/** A database that exists is never replaced, unless it is what a killed restore left. */
async function requireEmptyPlace(config: Config): Promise<string> {
  const file = await databaseFile(config)
  if (file === null)
    throw new Failure(
      'A continuous backup is restored into SQLite: set ATRIUM_DATABASE_URL to a file. A backup of it can then be restored into PostgreSQL.',
    )
  if (isMissing(file) || isRestoring(file)) return file
  throw new Failure(`The database ${file} exists: restore into another folder (ATRIUM_DATA_DIR), or move it away.`)
}

async function load(
  config: Config,
  file: string,
  { destination, key }: OpenedDestination,
  at: number | null,
  requireKey: RequireKey,
): Promise<Restored & { readonly audit_entries: number }> {
  const state = await findState(destination, key, at)
  const staging = join(dirname(file), 'restoring')
  const isNewFolder = !existsSync(dirname(file))
  try {
    // A killed restore may have left it.
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { recursive: true, mode: folder_mode })
    const path = join(staging, 'atrium.db')
    const restored = await writeState(destination, key, state, path)
    const { audit_entries, secret_key } = await verifyDatabase(path)
    if (secret_key !== null) await requireKey(config, secret_key)
    await requireConfiguredKey(config, secret_key)
    await restoreInto(config, () => moveIn(path, file))
    return { ...restored, audit_entries }
  } finally {
    await rm(staging, { recursive: true, force: true })
    if (isNewFolder && !existsSync(file)) await rm(dirname(file), { recursive: true, force: true })
  }
}

async function moveIn(path: string, file: string): Promise<void> {
  // SQLite would apply the log of a lost database to this one.
  for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  await rename(path, file)
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

interface RestoredFiles {
  restored: number
  readonly missing: { count: number; readonly keys: string[] }
}

/** Restores the content that the data directory lacks. Content that is missing or damaged is counted; the rest is restored. */
async function restoreContents(config: Config, file: string, { destination, key }: OpenedDestination) {
  const files: RestoredFiles = { restored: 0, missing: { count: 0, keys: [] } }
  if (config.files.bucket !== null) return files
  const { openFiles } = await import('../main.ts')
  const store = new SqliteStore(file)
  try {
    const { store: contents, uploads } = openFiles(config, store)
    for await (const row of referencedContents(store.reader('system'))) {
      if ((await contents.size(row.key)) === row.bytes) continue
      const isRestored = await restoreContent(row).catch((error) => {
        if (error instanceof BadDestination) return false
        throw error
      })
      if (isRestored) files.restored++
      else noteMissing(files.missing, row.key)
    }
    async function restoreContent(row: Parameters<typeof readCopied>[2]): Promise<boolean> {
      const pieces = await readCopied(destination, key, row)
      if (pieces === null) return false
      const upload = await uploads.receive(pieces)
      try {
        if (upload.sha256 === row.sha256) await contents.put(row.key, upload)
        return upload.sha256 === row.sha256
      } finally {
        await upload.discard()
      }
    }
  } finally {
    await store.close()
  }
  return files
}

function filesText({ restored, missing }: RestoredFiles): string {
  const done = restored === 0 ? '' : ` Restored the content of ${restored} files.`
  if (missing.count === 0) return done
  return `${done} The backup lacks the content of ${missing.count} files: ${missing.keys.join(', ')}. 'atrium doctor' names the files.`
}

/** `atrium restore` from a continuous backup: builds the database or the files of a server beside their place, verifies them there, and moves them in. */
import { existsSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { referencedContents } from '../db/backup/backup.ts'
import { readCopied } from '../db/backup/follow/contents.ts'
import { BadDestination } from '../db/backup/follow/marker.ts'
import { writeState } from '../db/backup/follow/sqlite-state.ts'
import { type ClusterState, findState, isCluster, type Restored, type State } from '../db/backup/follow/state.ts'
import { readSecretKeyRow } from '../db/secret-key/check.ts'
import { SqliteStore } from '../db/sqlite/store.ts'
import type { Store } from '../db/store.ts'
import { folder_mode } from '../lib/private-path.ts'
import { explaining, type OpenedDestination, openDestination } from './backup-destination.ts'
import { tryState } from './backup-drill.ts'
import { Failure, type Outcome } from './command.ts'
import { databaseFile, isMissing, isRestoring, restoreInto } from './database-files.ts'
import { type Recovering, recoverTo, requireEmptyFolder, startAdvice } from './restore-cluster.ts'
import { noteMissing, requireConfiguredKey, verifyDatabase } from './verify-state.ts'

/** Restores the newest state at or before `at` (milliseconds; null: the newest), or only tries to. */
export async function restoreState(place: string, { at, verifyOnly, into, requireKey }: Restoring): Promise<Outcome> {
  const config = readConfig()
  if (verifyOnly) {
    const opened = await openDestination(config, place)
    const tried = await tryState(config, opened, at)
    return { json: { destination: opened.destination.place, ...tried }, text: `The backup restores ${shown(tried)}.` }
  }
  const opened = await openDestination(config, place)
  const state = await explaining(() => findState(opened.destination, opened.key, at))
  return isCluster(state)
    ? await restoreServer({ config, opened, state, at, durable: true }, into, requireKey)
    : await restoreFile(config, opened, state, into, requireKey)
}

interface Restoring {
  readonly at: number | null
  readonly verifyOnly: boolean
  /** The folder for the files of a PostgreSQL server. */
  readonly into: string | undefined
  readonly requireKey: RequireKey
}

async function restoreFile(
  config: Config,
  opened: OpenedDestination,
  state: State,
  into: string | undefined,
  requireKey: RequireKey,
): Promise<Outcome> {
  if (into !== undefined)
    throw new Failure(
      '--into is for the backup of a PostgreSQL server, and this is one of SQLite: set ATRIUM_DATA_DIR.',
    )
  const file = await requireEmptyPlace(config)
  const restored = await explaining(() => load(config, file, opened, state, requireKey))
  const store = new SqliteStore(file)
  const files = await restoreContents(config, store, opened).finally(() => store.close())
  const text = `Restored ${shown(restored)}.${filesText(files)}`
  return { json: { destination: opened.destination.place, ...restored, files }, text, bad: files.missing.count > 0 }
}

async function restoreServer(
  recovering: Recovering & { readonly state: ClusterState },
  into: string | undefined,
  requireKey: RequireKey,
): Promise<Outcome> {
  const { config, opened, state } = recovering
  const folder = requireEmptyFolder(into, state)
  const files = noFiles()
  const { secret_key, end, ...restored } = await explaining(() =>
    recoverTo(folder, recovering, async (store) => {
      const found = (await readSecretKeyRow(store))?.fingerprint ?? null
      if (found !== null) await requireKey(config, found)
      await restoreContents(config, store, opened, files)
    }),
  )
  const { release, database } = state.base.cluster
  const json = { destination: opened.destination.place, folder, ...restored, release, database, files }
  const text = `Restored ${shown(restored)} into ${folder}.${filesText(files)} ${startAdvice(folder, state)}`
  return { json, text, bad: files.missing.count > 0 }
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
      'The continuous backup of an SQLite database is restored into SQLite: set ATRIUM_DATABASE_URL to a file. A backup of it can then be restored into PostgreSQL.',
    )
  if (isMissing(file) || isRestoring(file)) return file
  throw new Failure(`The database ${file} exists: restore into another folder (ATRIUM_DATA_DIR), or move it away.`)
}

async function load(
  config: Config,
  file: string,
  { destination, key }: OpenedDestination,
  state: State,
  requireKey: RequireKey,
): Promise<Restored & { readonly audit_entries: number }> {
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

const noFiles = (): RestoredFiles => ({ restored: 0, missing: { count: 0, keys: [] } })

/** Restores the content that the data directory lacks. Content that is missing or damaged is counted; the rest is restored. */
async function restoreContents(
  config: Config,
  store: Store,
  { destination, key }: OpenedDestination,
  files: RestoredFiles = noFiles(),
): Promise<RestoredFiles> {
  if (config.files.bucket !== null) return files
  const { openFiles } = await import('../main.ts')
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
  return files

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
}

function filesText({ restored, missing }: RestoredFiles): string {
  const done = restored === 0 ? '' : ` Restored the content of ${restored} files.`
  if (missing.count === 0) return done
  return `${done} The backup lacks the content of ${missing.count} files: ${missing.keys.join(', ')}. 'atrium doctor' names the files.`
}

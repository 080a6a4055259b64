/**
 * The files of an embedded database, examined before a command opens them. A secret key without its database means that the
 * database was lost, or that this is the wrong folder, so no command creates a new database beside it. A mark beside the
 * database says that its creation is not complete: a first start that was killed can be repeated.
 */
import { existsSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { createPrivateFile, createPrivateFolder, filesOf } from '../db/sqlite/file-modes.ts'
import { Failure } from './command.ts'

/** The file of an embedded database; null with PostgreSQL. */
export async function databaseFile(config: Config): Promise<string | null> {
  if (!config.databaseUrl.startsWith('file:')) return null
  const { sqliteFile } = await import('../db/open.ts')
  return sqliteFile(config.databaseUrl)
}

/** The file in which an installation keeps its secret key, unless ATRIUM_SECRET_KEY is set. */
export const keyFile = (config: Config): string => resolve(join(config.dataDir, 'secret.key'))

/** SQLite creates the file before its first page: a file without a byte holds no database. */
export const isMissing = (file: string): boolean => !existsSync(file) || statSync(file).size === 0

const creationMark = (file: string): string => `${file}-new`
const restoreMark = (file: string): string => `${file}-restoring`

/** Whether a killed restore left this database. */
export const isRestoring = (file: string): boolean => existsSync(restoreMark(file))

/** What was lost, as one sentence; null if nothing was. */
export function lostDatabase(config: Config, file: string): string | null {
  const key = keyFile(config)
  if (!isMissing(file) || !existsSync(key) || existsSync(creationMark(file))) return null
  // Another process may have completed the creation since the first look.
  if (!isMissing(file)) return null
  const state = existsSync(file) ? 'is empty' : 'is missing'
  return `The database ${file} ${state}, but its secret key ${key} exists.`
}

export const lost_advice =
  "Restore a backup with 'atrium restore FILE', or remove the key to begin a new installation. Set ATRIUM_DATA_DIR to use another folder."

/** Refuses a database that was lost or half restored. Returns the file; null with PostgreSQL. */
async function requireNotLost(config: Config): Promise<string | null> {
  const file = await databaseFile(config)
  if (file === null) return null
  const lost = lostDatabase(config, file)
  if (lost !== null) throw new Failure(`${lost} ${lost_advice}`)
  if (existsSync(restoreMark(file))) {
    throw new Failure(`A restore into ${file} did not finish. Repeat it: 'atrium restore FILE'.`)
  }
  return file
}

/** Refuses also a missing database, for commands that create none. */
export async function requireDatabase(config: Config): Promise<void> {
  const file = await requireNotLost(config)
  if (file === null || !isMissing(file)) return
  const state = existsSync(file) ? `The database ${file} is empty.` : `There is no database at ${file}.`
  throw new Failure(`${state} 'atrium serve' or 'atrium init' creates one. Set ATRIUM_DATA_DIR to use another folder.`)
}

/** Which database a process opens, as its log shows it. */
export interface OpenedDatabase {
  /** The file with its whole path, or the URL without its password. */
  readonly database: string
  readonly data_dir: string
  readonly new: boolean
}

/** Opens with `open`, creating what is missing, and says what was opened. */
export async function openOrCreate<T>(
  config: Config,
  open: () => Promise<T>,
): Promise<{ readonly opened: T; readonly place: OpenedDatabase }> {
  const data_dir = resolve(config.dataDir)
  const file = await requireNotLost(config)
  if (file === null) return { opened: await open(), place: { database: hidden(config), data_dir, new: false } }
  const isNew = isMissing(file)
  if (isNew) mark(creationMark(file))
  const opened = await open()
  rmSync(creationMark(file), { force: true })
  return { opened, place: { database: file, data_dir, new: isNew } }
}

/**
 * Restores with `restore` into the database of an installation that lost its own or never had one. If that fails, the files
 * that it created are removed; a restore that is killed leaves a mark, with which no command but restore opens the database.
 */
export async function restoreInto<T>(config: Config, restore: () => Promise<T>): Promise<T> {
  const file = await databaseFile(config)
  if (file === null || (!isMissing(file) && !existsSync(restoreMark(file)))) return await restore()
  const folder = dirname(file)
  const isNewFolder = !existsSync(folder)
  // What a killed restore left: nothing else has opened it since.
  if (existsSync(restoreMark(file))) for (const path of filesOf(file)) rmSync(path)
  const before = filesOf(file)
  mark(restoreMark(file))
  try {
    const restored = await restore()
    rmSync(restoreMark(file))
    return restored
  } catch (error) {
    for (const path of filesOf(file)) if (!before.includes(path) || path === file) rmSync(path)
    if (isNewFolder) rmdirSync(folder)
    throw error
  }
}

function mark(path: string): void {
  createPrivateFolder(dirname(path))
  createPrivateFile(path)
}

function hidden({ databaseUrl }: Config): string {
  const { protocol, host, pathname } = new URL(databaseUrl)
  return `${protocol}//${host}${pathname}`
}

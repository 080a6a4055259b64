/** Only the account that runs the server may read the data: files have mode 0600, their folder 0700, whatever the umask. */
import { chmodSync, closeSync, existsSync, fchmodSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { closeToOthers, file_mode, folder_mode, isOpenToOthers } from '../../lib/private-path.ts'
import { logFileOf } from './log/file.ts'

/** Creates the folder, the database and the request log if missing. SQLite gives their other files the same mode. */
export function createPrivately(file: string): void {
  createPrivateFolder(dirname(file))
  for (const each of [file, logFileOf(file)]) createPrivateFile(each)
}

/** Creates a folder unless it exists. */
export function createPrivateFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: folder_mode }) !== undefined) chmodSync(folder, folder_mode)
}

/** Creates an empty file unless it exists. */
export function createPrivateFile(path: string): void {
  try {
    const created = openSync(path, 'wx', file_mode)
    fchmodSync(created, file_mode)
    closeSync(created)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Paths of the database's files, and of their folder, that other accounts can use. */
export function openToOthers(file: string): string[] {
  return [dirname(file), ...filesOf(file)].filter(isOpenToOthers)
}

/** Corrects the modes. A folder that also holds other files is left as it is: other programs may use it. */
export function makePrivate(file: string): void {
  const folder = dirname(file)
  for (const path of openToOthers(file)) if (path !== folder || holdsOnlyData(file)) closeToOthers(path)
}

/** The names of all files of the database and the request log start with the names of the two. */
function isOfDatabase(name: string, file: string): boolean {
  return [file, logFileOf(file)].some((each) => name === basename(each) || name.startsWith(`${basename(each)}-`))
}

/** Paths of the files of the database and of the request log. */
export function filesOf(file: string): string[] {
  const folder = dirname(file)
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => isOfDatabase(name, file))
  return names.map((name) => join(folder, name))
}

/** Beside the database: the secret key, where the server listens, the state of the continuous backup, and the content of files. */
const isOfInstallation = (name: string): boolean =>
  name.startsWith('secret.key') || name.startsWith('server.json') || name.startsWith('backup-') || name === 'files'

function holdsOnlyData(file: string): boolean {
  return readdirSync(dirname(file)).every((name) => isOfInstallation(name) || isOfDatabase(name, file))
}

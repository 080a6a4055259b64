/** Secret keys and the files that hold them: 32 bytes in base64, readable by their owner only. */
import { randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

const key_bytes = 32

/** A new secret key: 32 random bytes. */
export function newSecretKey(): Buffer {
  return randomBytes(key_bytes)
}

/** The key in a file; null if the file does not hold one. Throws if it cannot be read. */
export function readKeyFile(file: string): Buffer | null {
  const text = readFileSync(file, 'utf8').trim()
  const key = Buffer.from(text, 'base64')
  return key.length === key_bytes && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? key : null
}

/** Writes a key; it is on disk before anything depends on it. A file that exists stays as it is: false. */
export function writeKeyFile(file: string, key: Buffer): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const made = `${file}.${randomUUID()}`
  writeFileSync(made, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  let isMade = true
  try {
    linkSync(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    isMade = false
  } finally {
    unlinkSync(made)
  }
  syncFolder(file)
  return isMade
}

const uuid_end = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Removes what processes left that were killed while they wrote this key file, or one that keeps a key beside it. */
export function removeCutKeyFiles(file: string): void {
  const [folder, name] = [dirname(file), basename(file)]
  for (const each of readdirSync(folder))
    if (each.startsWith(`${name}.`) && uuid_end.test(each)) unlinkSync(join(folder, each))
}

/** Puts a key file in the place of another; at any moment, one of the two is there. */
export function replaceKeyFile(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(to)
}

function syncFolder(file: string): void {
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** Secret keys and the files that hold them: 32 bytes in base64, readable by their owner only. */
import { randomBytes, randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

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

/** Writes a key; it is on disk before anything depends on it. A file that exists stays as it is. */
export function writeKeyFile(file: string, key: Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const made = `${file}.${randomUUID()}`
  writeFileSync(made, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(made)
  }
  syncFolder(file)
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

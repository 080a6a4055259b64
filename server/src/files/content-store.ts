/**
 * Where the content of files is kept: a folder or an S3-compatible service. Content is stored under a key that is used once,
 * `<realm>/<first two digits>/<SHA-256>_<ULID>`: what is removed under a key can never be what a later upload has stored.
 */
import type { Readable } from 'node:stream'
import { idTime, newId } from '../lib/ids.ts'

/** Content could not be written or read: the disk is full, or the service does not answer. Nothing was acknowledged. */
export class ContentUnavailable extends Error {}

export interface ContentStore {
  /** For operators: a folder, or the URL of a bucket. */
  readonly place: string
  /** Whether the content is in a folder of this installation, so that a backup contains it. */
  readonly isLocal: boolean
  /** Stores a file that is complete on disk. Resolves when the content is durable; the file may be gone then. */
  put(key: string, file: StoredFile): Promise<void>
  /** The bytes from `first` to `last`, inclusive; null if there is no content under the key. */
  read(key: string, first: number, last: number): Promise<Readable | null>
  /** The number of bytes; null if there is no content under the key. */
  size(key: string): Promise<number | null>
  /** Removes the content; does nothing if nothing is stored. */
  remove(key: string): Promise<void>
  /** Every key, in batches that fit into memory. */
  keys(): AsyncGenerator<string>
  /** Removes the parts of puts that began before a time in milliseconds and were interrupted. Returns their number. */
  abortUnfinished(before: number): Promise<number>
}

/** A file on disk whose content is known. `sha256` is lower-case hexadecimal. */
export interface StoredFile {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
}

/** A new key for content of a realm. `now` is in milliseconds. */
export function newContentKey(realm: number, sha256: string, now: number): string {
  return `${realm}/${sha256.slice(0, 2)}/${newId(sha256, now)}`
}

const key_form = /^(\d{1,15})\/[0-9a-f]{2}\/([0-9a-f]{64})_[0-9A-Z]{26}$/

/** The parts of a key; null for anything else that lies in the store. `created` is in milliseconds. */
export function readContentKey(key: string): { realm: number; sha256: string; created: number } | null {
  const match = key_form.exec(key)
  if (match === null) return null
  const [, realm = '', sha256 = ''] = match
  try {
    return { realm: Number(realm), sha256, created: idTime(key.slice(key.lastIndexOf('/') + 1)) }
  } catch {
    return null
  }
}

/** The content of files: receiving it, keeping it durably, reading it. Rows about files are the business of `resources/files`. */
import type { Readable } from 'node:stream'
import { type ContentStore, ContentUnavailable } from './content-store.ts'
import type { DigestAlgorithm, Upload, Uploads } from './upload.ts'

export interface FileSettings {
  /** One file. */
  readonly bytes_max: number
  /** All files of one data set of an organization. */
  readonly organization_bytes_max: number
}

export { ContentUnavailable }

export class Files {
  readonly settings: FileSettings
  readonly store: ContentStore
  readonly uploads: Uploads

  constructor(settings: FileSettings, store: ContentStore, uploads: Uploads) {
    this.settings = settings
    this.store = store
    this.uploads = uploads
  }

  /** Writes what arrives to a file of its own. Rejects with ContentUnavailable if the disk does. */
  receive(chunks: AsyncIterable<Buffer>, algorithms: readonly DigestAlgorithm[]): Promise<Upload> {
    return available(() => this.uploads.receive(chunks, algorithms))
  }

  /** Makes an upload durable under a key, which becomes valid with the row that names it. Rejects with ContentUnavailable. */
  async keep(key: string, upload: Upload): Promise<void> {
    await available(() => this.store.put(key, upload))
  }

  /** The number of bytes; null if nothing is stored. Rejects with ContentUnavailable. */
  size(key: string): Promise<number | null> {
    return available(() => this.store.size(key))
  }

  /** The bytes from `first` to `last`, inclusive. Rejects with ContentUnavailable, and with another error if there are no bytes. */
  async read(key: string, first: number, last: number): Promise<Readable> {
    const bytes = await available(() => this.store.read(key, first, last))
    if (bytes === null) throw new Error(`there is no content under ${key}`)
    return bytes
  }
}

/** Turns an error of the system, such as a full disk, into ContentUnavailable. Other errors pass. */
async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)) throw error
    throw new ContentUnavailable((error as Error).message, { cause: error })
  }
}

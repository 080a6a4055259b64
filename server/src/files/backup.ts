/** The content of files on its way into a backup and out of one. */
import type { ContentStore } from './content-store.ts'
import type { Uploads, UploadWriter } from './upload.ts'

/** Bytes of a piece: a multiple of three, so that base64 needs no padding within a content. */
const piece_bytes = 192 * 1024

/** Reads a content in pieces of equal size; null if nothing is stored. */
export async function readPieces(store: ContentStore, key: string, bytes: number) {
  const size = await store.size(key)
  if (size === null) return null
  return size === 0 && bytes === 0 ? pieces([]) : pieces((await store.read(key, 0, Math.max(0, size - 1))) ?? [])
}

async function* pieces(content: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let size = 0
  for await (const chunk of content) {
    rest.push(chunk)
    size += chunk.length
    if (size < piece_bytes) continue
    const joined = Buffer.concat(rest)
    const whole = size - (size % piece_bytes)
    for (let at = 0; at < whole; at += piece_bytes) yield joined.subarray(at, at + piece_bytes)
    rest = [joined.subarray(whole)]
    size -= whole
  }
  // An empty content has one empty piece, so that a restore knows of it.
  yield Buffer.concat(rest)
}

/** Content that a restore takes out of a backup, one after the other. */
export class RestoredContents {
  private readonly store: ContentStore
  private readonly uploads: Uploads
  private readonly stored: string[] = []
  private current: { readonly key: string; readonly sha256: string; readonly writer: UploadWriter } | null = null

  constructor(store: ContentStore, uploads: Uploads) {
    this.store = store
    this.uploads = uploads
  }

  /** Writes the next piece of a content; pieces of one key follow each other. */
  async piece(key: string, sha256: string, bytes: Buffer): Promise<void> {
    if (this.current?.key !== key) {
      await this.finish()
      this.current = { key, sha256, writer: await this.uploads.begin() }
    }
    await this.current?.writer.write(bytes)
  }

  /** Stores the last content. */
  async finish(): Promise<void> {
    if (this.current === null) return
    const { key, sha256, writer } = this.current
    const upload = await writer.finish()
    if (upload.sha256 !== sha256) throw new Error(`the content ${key} is not what its hash says`)
    this.current = null
    this.stored.push(key)
    try {
      await this.store.put(key, upload)
    } finally {
      // A store that has no room for it has not taken it over.
      await upload.discard()
    }
  }

  /** Removes everything that was stored. */
  async abort(): Promise<void> {
    await this.current?.writer.abort()
    this.current = null
    for (const key of this.stored) await this.store.remove(key)
  }
}

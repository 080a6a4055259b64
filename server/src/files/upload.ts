/**
 * An upload: bytes that arrive are written to a file of their own and hashed on the way, so memory does not grow with them.
 * The file is complete and on disk before `receive` resolves. It belongs to the upload until the content store takes it over.
 */
import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './folder.ts'
import { file_limits } from './limits.ts'

export type DigestAlgorithm = 'sha-256' | 'sha-512'

export interface Upload {
  readonly path: string
  readonly bytes: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
  /** Digests of the whole content. */
  readonly digests: Readonly<Partial<Record<DigestAlgorithm, Buffer>>>
  /** The first bytes. */
  readonly head: Buffer
  /** Removes the file unless the content store has taken it over. */
  discard(): Promise<void>
}

/** The names of the files of uploads: the process that writes, and a part of its own. */
const part_form = /^([0-9a-zA-Z-]+)\.[0-9a-f-]{36}\.part$/

/** A folder of uploads that are not complete. */
export class Uploads {
  private readonly folder: string
  private readonly process: () => string

  /** `process`: the name of this process, as the store's leases know it. */
  constructor(folder: string, process: () => string) {
    this.folder = folder
    this.process = process
  }

  /** Begins an upload. The caller ends it with `finish` or `abort`. */
  async begin(algorithms: readonly DigestAlgorithm[] = []): Promise<UploadWriter> {
    await makeFolder(this.folder)
    const path = join(this.folder, `${this.process()}.${randomUUID()}.part`)
    return new UploadWriter(path, await open(path, 'wx', 0o600), algorithms)
  }

  /** Writes what arrives. If `chunks` or the disk fails, nothing is left and the error is passed on. */
  async receive(chunks: AsyncIterable<Buffer>, algorithms: readonly DigestAlgorithm[] = []): Promise<Upload> {
    const writer = await this.begin(algorithms)
    try {
      for await (const chunk of chunks) await writer.write(chunk)
      return await writer.finish()
    } catch (error) {
      await writer.abort()
      throw error
    }
  }

  /** The files of all processes, with the process that wrote each. */
  async parts(): Promise<{ path: string; process: string }[]> {
    const names = await readdir(this.folder).catch((): string[] => [])
    return names.flatMap((name) => {
      const process = part_form.exec(name)?.[1]
      return process === undefined ? [] : [{ path: join(this.folder, name), process }]
    })
  }
}

/** An upload while it is written. */
export class UploadWriter {
  private readonly path: string
  private readonly file: FileHandle
  private readonly hashes: ReadonlyMap<DigestAlgorithm, Hash>
  private readonly heads: Buffer[] = []
  private bytes = 0

  constructor(path: string, file: FileHandle, algorithms: readonly DigestAlgorithm[]) {
    this.path = path
    this.file = file
    const used = new Set<DigestAlgorithm>(['sha-256', ...algorithms])
    this.hashes = new Map([...used].map((name) => [name, createHash(name.replace('-', ''))]))
  }

  async write(chunk: Buffer): Promise<void> {
    for (const hash of this.hashes.values()) hash.update(chunk)
    const missing = file_limits.file_head_bytes - this.bytes
    if (missing > 0) this.heads.push(Buffer.from(chunk.subarray(0, missing)))
    this.bytes += chunk.length
    for (let written = 0; written < chunk.length; ) {
      written += (await this.file.write(chunk, written, chunk.length - written)).bytesWritten
    }
  }

  /** Resolves when all bytes are on disk. */
  async finish(): Promise<Upload> {
    await this.file.sync()
    await this.file.close()
    const { path, bytes } = this
    const digests = Object.fromEntries([...this.hashes].map(([name, hash]) => [name, hash.digest()]))
    const sha256 = (digests['sha-256'] as Buffer).toString('hex')
    return { path, bytes, sha256, digests, head: Buffer.concat(this.heads), discard: () => this.remove() }
  }

  /** Leaves nothing. Never rejects. */
  async abort(): Promise<void> {
    await this.file.close().catch(() => {})
    await this.remove().catch(() => {})
  }

  private async remove(): Promise<void> {
    await rm(this.path, { force: true })
  }
}

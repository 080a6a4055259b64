/**
 * Content in a bucket of an S3-compatible service. An object appears whole or not at all: a large one is sent in parts that the
 * service joins at the end, and `put` resolves when the service has acknowledged it. Only the operator's endpoint is contacted;
 * redirects are not followed. An error of the service is ContentUnavailable, except that nothing is stored under a key.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { type ContentStore, ContentUnavailable, type StoredFile } from './content-store.ts'
import { file_limits } from './limits.ts'

export interface BucketSettings {
  readonly bucket: string
  /** In front of all keys; empty, or without slashes at its ends. */
  readonly prefix: string
  /** `null`: the endpoint of AWS for the region. */
  readonly endpoint: string | null
  readonly region: string
  /** Whether the bucket's name is in the path of URLs instead of the host name. */
  readonly pathStyle: boolean
  readonly accessKey: string
  readonly secretKey: string
  readonly sessionToken: string | null
}

type Library = typeof import('@aws-sdk/client-s3')

export class ContentBucket implements ContentStore {
  readonly place: string
  readonly isLocal = false
  private readonly settings: BucketSettings
  private opened: Promise<{ client: S3Client; s3: Library }> | null = null
  private readonly turns = new Turns(file_limits.bucket_uploads_max)

  constructor(settings: BucketSettings) {
    this.settings = settings
    const { bucket, prefix, endpoint } = settings
    const place = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
    this.place = endpoint === null ? place : `${place} at ${endpoint}`
  }

  async put(key: string, file: StoredFile): Promise<void> {
    const release = await this.turns.take()
    try {
      const isStored = await this.available(async (opened) => {
        const source = await open(file.path)
        try {
          if (file.bytes <= file_limits.bucket_part_bytes) await this.putWhole(opened, key, file, source)
          else await this.putParts(opened, key, file, source)
        } finally {
          await source.close()
        }
        return true
      })
      // An error that elsewhere means that nothing is stored: the service has forgotten the upload.
      if (isStored === null) throw new ContentUnavailable(`${this.place} did not keep ${key}`)
    } finally {
      release()
    }
    await rm(file.path, { force: true })
  }

  async read(key: string, first: number, last: number): Promise<Readable | null> {
    return await this.available(async ({ client, s3 }) => {
      const range = `bytes=${first}-${last}`
      const answer = await client.send(new s3.GetObjectCommand({ ...this.object(key), Range: range }))
      // An answer that ignored the range would be served as other bytes.
      const isWhole = first === 0 && answer.ContentLength === last + 1
      if (answer.ContentRange?.startsWith(`bytes ${first}-${last}/`) || isWhole) return answer.Body as Readable
      ;(answer.Body as Readable | undefined)?.destroy()
      throw new ContentUnavailable(`${this.place} did not answer with ${range} of ${key}`)
    })
  }

  async size(key: string): Promise<number | null> {
    return await this.available(async ({ client, s3 }) => {
      const { ContentLength = 0 } = await client.send(new s3.HeadObjectCommand(this.object(key)))
      return ContentLength
    })
  }

  async remove(key: string): Promise<void> {
    await this.available(async ({ client, s3 }) => {
      await client.send(new s3.DeleteObjectCommand(this.object(key)))
    })
  }

  async *keys(): AsyncGenerator<string> {
    const Prefix = this.settings.prefix === '' ? '' : `${this.settings.prefix}/`
    for (let token: string | undefined; ; ) {
      const page = await this.available(({ client, s3 }) =>
        client.send(
          new s3.ListObjectsV2Command({
            Bucket: this.settings.bucket,
            Prefix,
            ...(token === undefined ? {} : { ContinuationToken: token }),
          }),
        ),
      )
      for (const { Key = '' } of page?.Contents ?? []) yield Key.slice(Prefix.length)
      token = page?.NextContinuationToken
      if (token === undefined) return
    }
  }

  /** Stores bytes that fit into one request. */
  async putBytes(key: string, bytes: Buffer): Promise<void> {
    const isStored = await this.available(async ({ client, s3 }) => {
      const object = { ...this.object(key), Body: bytes, ContentLength: bytes.length }
      await client.send(new s3.PutObjectCommand({ ...object, ...sums(bytes) }))
      return true
    })
    if (isStored === null) throw new ContentUnavailable(`${this.place} did not keep ${key}`)
  }

  /** All bytes of an object that fits into memory; null if it does not exist. */
  async readBytes(key: string): Promise<Buffer | null> {
    return await this.available(async ({ client, s3 }) => {
      const { Body, ContentLength } = await client.send(new s3.GetObjectCommand(this.object(key)))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      if (ContentLength === undefined || ContentLength === bytes.length) return bytes
      throw new ContentUnavailable(`${this.place} sent ${bytes.length} of ${ContentLength} bytes of ${key}`)
    })
  }

  /** The names directly below a folder, without its own name; those of folders end in `/`. */
  async list(folder: string): Promise<string[]> {
    const { Bucket, Key } = this.object(`${folder}/`)
    const names: string[] = []
    for (let token: string | undefined; ; ) {
      const more = token === undefined ? {} : { ContinuationToken: token }
      const page = await this.available(({ client, s3 }) =>
        client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: Key, Delimiter: '/', ...more })),
      )
      for (const { Prefix = '' } of page?.CommonPrefixes ?? []) names.push(Prefix.slice(Key.length))
      for (const { Key: found = '' } of page?.Contents ?? []) names.push(found.slice(Key.length))
      token = page?.NextContinuationToken
      if (token === undefined) return names.sort()
    }
  }

  /** Services bill the parts of uploads that were never completed, and do not list them as objects. */
  async abortUnfinished(before: number): Promise<number> {
    const { bucket: Bucket, prefix } = this.settings
    const page = await this.available(({ client, s3 }) =>
      client.send(new s3.ListMultipartUploadsCommand({ Bucket, ...(prefix === '' ? {} : { Prefix: `${prefix}/` }) })),
    )
    let count = 0
    for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
      if (Initiated === undefined || Initiated.getTime() > before) continue
      await this.available(({ client, s3 }) =>
        client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
      )
      count += 1
    }
    return count
  }

  private async putWhole({ client, s3 }: Opened, key: string, { bytes }: StoredFile, source: FileHandle) {
    const Body = await readPart(source, 0, bytes)
    await client.send(new s3.PutObjectCommand({ ...this.object(key), Body, ContentLength: bytes, ...sums(Body) }))
  }

  /** One part in memory at a time. A part that fails is sent again by the client; after that nothing is left of the upload. */
  private async putParts({ client, s3 }: Opened, key: string, { bytes }: StoredFile, source: FileHandle) {
    const object = this.object(key)
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(object))
    try {
      const size = partBytes(bytes)
      const Parts: { PartNumber: number; ETag: string | undefined }[] = []
      for (let at = 0; at < bytes; at += size) {
        const Body = await readPart(source, at, Math.min(size, bytes - at))
        const part = { ...object, UploadId, PartNumber: Parts.length + 1, Body, ContentLength: Body.length }
        const { ETag } = await client.send(new s3.UploadPartCommand({ ...part, ...sums(Body) }))
        Parts.push({ PartNumber: part.PartNumber, ETag })
      }
      await client.send(new s3.CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts } }))
    } catch (error) {
      // The answer to the completion may have been lost.
      if (isMissing(error) && (await this.size(key)) === bytes) return
      await client.send(new s3.AbortMultipartUploadCommand({ ...object, UploadId })).catch(() => {})
      throw error
    }
  }

  private object(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.settings
    return { Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` }
  }

  /** Runs `work` with the client; null if nothing is stored under the key. */
  private async available<T>(work: (opened: Opened) => Promise<T>): Promise<T | null> {
    try {
      this.opened ??= openClient(this.settings)
      return await work(await this.opened)
    } catch (error) {
      if (error instanceof ContentUnavailable) throw error
      if (isMissing(error)) return null
      const { name, message } = error as Error
      throw new ContentUnavailable(`${this.place}: ${name}: ${message}`, { cause: error })
    }
  }
}

interface Opened {
  readonly client: S3Client
  readonly s3: Library
}

/** The library is loaded when a bucket is used: it would slow every start. */
async function openClient(settings: BucketSettings): Promise<Opened> {
  const s3 = await import('@aws-sdk/client-s3')
  const { endpoint, region, pathStyle, accessKey, secretKey, sessionToken } = settings
  const client = new s3.S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    credentials: {
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      ...(sessionToken === null ? {} : { sessionToken }),
    },
    maxAttempts: file_limits.bucket_attempts_max,
    followRegionRedirects: false,
    // Checksums that only AWS knows are refused by other services. Every body is signed with its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: file_limits.bucket_connect_ms,
      requestTimeout: file_limits.bucket_answer_ms,
      throwOnRequestTimeout: true,
      socketTimeout: file_limits.bucket_idle_ms,
      httpAgent: { maxSockets: file_limits.bucket_sockets_max },
      httpsAgent: { maxSockets: file_limits.bucket_sockets_max },
    },
  })
  return { client, s3 }
}

/** Content-MD5 is checked by every service, so a part that was damaged on its way is refused. */
function sums(body: Buffer): { ContentMD5: string } {
  return { ContentMD5: createHash('md5').update(body).digest('base64') }
}

/** A service takes at most 10,000 parts. */
function partBytes(bytes: number): number {
  return Math.max(file_limits.bucket_part_bytes, Math.ceil(bytes / file_limits.bucket_parts_max))
}

async function readPart(source: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const part = Buffer.allocUnsafe(bytes)
  for (let read = 0; read < bytes; ) {
    const { bytesRead } = await source.read(part, read, bytes - read, at + read)
    if (bytesRead === 0) throw new Error('the file of an upload became shorter')
    read += bytesRead
  }
  return part
}

function isMissing(error: unknown): boolean {
  const { name } = error as Error
  return name === 'NoSuchKey' || name === 'NotFound' || name === 'NoSuchUpload'
}

/** Admits a number of holders at a time, in the order in which they ask. */
class Turns {
  private free: number
  private readonly waiting: (() => void)[] = []

  constructor(count: number) {
    this.free = count
  }

  /** Resolves with the function that ends the turn. */
  async take(): Promise<() => void> {
    if (this.free > 0) this.free -= 1
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    return () => {
      const next = this.waiting.shift()
      if (next === undefined) this.free += 1
      else next()
    }
  }
}

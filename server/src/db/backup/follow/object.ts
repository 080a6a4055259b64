/**
 * The form of every object of a continuous backup: a line of JSON, the compressed content, encrypted if there is a key, and a
 * SHA-256 of everything before it. With a key the line is authenticated with the content, so that no object can stand in
 * the place of another one.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const nonce_bytes = 12
const tag_bytes = 16
const sum_bytes = 32
/** WAL pages shrink to a third at the fastest level, and slowly beyond it. */
const compression_level = 1
/** A part of a base, or a segment of large pages. */
const content_bytes_max = 2 ** 27

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** An object is not what was written; the message says how, without its name. */
export class DamagedObject extends Error {}

/** The key of a destination, derived from that of the operator. */
export class BackupKey {
  readonly #key: Buffer
  /** Identifies the key without revealing it. */
  readonly fingerprint: string

  /** `secret`: the 32 bytes of ATRIUM_BACKUP_KEY. */
  constructor(secret: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'atrium continuous backup', 32))
    this.fingerprint = createHmac('sha256', this.#key).update('fingerprint').digest('hex').slice(0, 16)
  }

  encrypt(content: Buffer, line: Buffer): Buffer {
    const nonce = randomBytes(nonce_bytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tag_bytes })
    cipher.setAAD(line)
    return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
  }

  decrypt(bytes: Buffer, line: Buffer): Buffer {
    if (bytes.length < nonce_bytes + tag_bytes) throw new DamagedObject('is too short')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonce_bytes), {
      authTagLength: tag_bytes,
    })
    decipher.setAAD(line)
    decipher.setAuthTag(bytes.subarray(-tag_bytes))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonce_bytes, -tag_bytes)), decipher.final()])
    } catch {
      throw new DamagedObject('was changed, or was encrypted with another key')
    }
  }
}

export interface Opened<H> {
  readonly head: H
  readonly content: Buffer
  /** Of the whole object, in hexadecimal. */
  readonly sha256: string
}

/** The bytes of an object. `head.kind` says what it is. */
export async function toObject<H extends { readonly kind: string }>(
  head: H,
  content: Buffer,
  key: BackupKey | null,
): Promise<{ readonly bytes: Buffer; readonly sha256: string }> {
  const line = Buffer.from(`${JSON.stringify(head)}\n`)
  const packed = await compress(content, { level: compression_level })
  const body = Buffer.concat([line, key === null ? packed : key.encrypt(packed, line)])
  const sum = createHash('sha256').update(body).digest()
  return { bytes: Buffer.concat([body, sum]), sha256: sum.toString('hex') }
}

/** Opens an object that must be of this kind. Rejects with DamagedObject. */
export async function openObject<H extends { readonly kind: string }>(
  bytes: Buffer,
  kind: H['kind'],
  key: BackupKey | null,
): Promise<Opened<H>> {
  const body = bytes.subarray(0, Math.max(0, bytes.length - sum_bytes))
  const sum = createHash('sha256').update(body).digest()
  const end = body.indexOf('\n') + 1
  if (end === 0 || !sum.equals(bytes.subarray(body.length)))
    throw new DamagedObject('is damaged or incomplete: its checksum is wrong')
  const line = body.subarray(0, end)
  const packed = key === null ? body.subarray(end) : key.decrypt(body.subarray(end), line)
  try {
    const head = JSON.parse(line.toString()) as H
    if (head.kind !== kind) throw new DamagedObject(`is a ${String(head.kind).slice(0, 40)} in the place of a ${kind}`)
    const content = await decompress(packed, { maxOutputLength: content_bytes_max })
    return { head, content, sha256: sum.toString('hex') }
  } catch (error) {
    throw error instanceof DamagedObject ? error : new DamagedObject(`cannot be read: ${(error as Error).message}`)
  }
}

/**
 * All uses of the installation's secret key: sealing texts for storage, message authentication, and the digests of
 * credentials (contract/03#secrets, contract/07#stored-credentials). Invariant: the key itself encrypts and signs
 * nothing. Each purpose has its own subkey, so that what was made for one purpose is not accepted for another.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'

const key_bytes = 32
const nonce_bytes = 12
const tag_bytes = 16
const version = 'v1.'
/** The block size of SHA-256, and the longest text that is hashed without a stream. */
const block_bytes = 64
const short_chars = 1024

/** The text was not sealed with this key and context, or was changed since. */
export class SealBroken extends Error {
  override name = 'SealBroken'
  constructor() {
    super('the sealed text cannot be opened: it was changed, or sealed with another key or in another context')
  }
}

export class Sealer {
  readonly #secretKey: Buffer
  readonly #macKeys = new Map<string, MacKey>()
  readonly #sealKey: Buffer
  readonly #digestKey: MacKey

  /** `secretKey`: the 32 bytes of ATRIUM_SECRET_KEY. RangeError for any other length. */
  constructor(secretKey: Buffer) {
    if (secretKey.length !== key_bytes) throw new RangeError('the secret key has 32 bytes')
    this.#secretKey = Buffer.from(secretKey)
    this.#sealKey = this.#subkey('seal')
    this.#digestKey = new MacKey(this.#subkey('digest'))
  }

  /**
   * Encrypts `plain` with AES-256-GCM under a random 12-byte nonce: `v1.` and base64url, a third longer plus about 41
   * characters. Only the same `context` opens it: name in it what the text belongs to, such as table and id. Each
   * result is different. Safe for 2^32 texts per key (contract/03#secrets).
   */
  seal(plain: string, context: string): string {
    const nonce = randomFillSync(Buffer.allocUnsafe(nonce_bytes))
    const cipher = createCipheriv('aes-256-gcm', this.#sealKey, nonce, { authTagLength: tag_bytes })
    cipher.setAAD(Buffer.from(version + context))
    const body = cipher.update(plain, 'utf8')
    return version + Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  /** The text that was sealed. Throws SealBroken unless `sealed` is exactly what `seal` returned for this context. */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
    const end = bytes.length - tag_bytes
    // The decoder ignores stray characters, but a sealed text has exactly one form.
    if (end < nonce_bytes || sealed !== version + bytes.toString('base64url')) throw new SealBroken()
    const nonce = bytes.subarray(0, nonce_bytes)
    const decipher = createDecipheriv('aes-256-gcm', this.#sealKey, nonce, { authTagLength: tag_bytes })
    decipher.setAAD(Buffer.from(version + context))
    decipher.setAuthTag(bytes.subarray(end))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonce_bytes, end)), decipher.final()]).toString('utf8')
    } catch {
      throw new SealBroken()
    }
  }

  /**
   * HMAC-SHA-256 of `text` (32 bytes) under the subkey of `purpose`. Purposes are constants of the code: their subkeys
   * are cached.
   */
  mac(purpose: string, text: string): Buffer {
    let key = this.#macKeys.get(purpose)
    if (key === undefined) {
      key = new MacKey(this.#subkey(`mac:${purpose}`))
      this.#macKeys.set(purpose, key)
    }
    return Buffer.from(key.mac(text, 'binary'), 'latin1')
  }

  /**
   * The form in which a credential is stored and looked up: HMAC-SHA-256 under the server's pepper, 64 hex digits
   * (contract/07#stored-credentials).
   */
  digest(credential: string): string {
    return this.#digestKey.mac(credential, 'hex')
  }

  #subkey(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#secretKey, '', `atrium:${purpose}`, key_bytes))
  }
}

/**
 * HMAC-SHA-256 (RFC 2104) as two one-shot hashes over buffers that start with the key's two pads: half the time of
 * `createHmac`, which sets up a stream for each text.
 */
class MacKey {
  readonly #key: Buffer
  readonly #inner = Buffer.alloc(block_bytes + 3 * short_chars, 0x36)
  readonly #outer = Buffer.alloc(block_bytes + 32, 0x5c)

  constructor(key: Buffer) {
    this.#key = key
    for (const [i, byte] of key.entries()) {
      this.#inner.writeUInt8(0x36 ^ byte, i)
      this.#outer.writeUInt8(0x5c ^ byte, i)
    }
  }

  mac(text: string, encoding: 'hex' | 'binary'): string {
    if (text.length > short_chars) return createHmac('sha256', this.#key).update(text).digest(encoding)
    const end = block_bytes + this.#inner.write(text, block_bytes)
    this.#outer.write(hash('sha256', this.#inner.subarray(0, end), 'binary'), block_bytes, 'latin1')
    return hash('sha256', this.#outer, encoding)
  }
}

/** Whether two byte strings, or two texts as UTF-8, are equal, in a time that depends only on their lengths. */
export function sameBytes(a: Uint8Array | string, b: Uint8Array | string): boolean {
  const left = typeof a === 'string' ? Buffer.from(a) : a
  const right = typeof b === 'string' ? Buffer.from(b) : b
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}

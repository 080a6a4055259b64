/**
 * All uses of the installation's secret key: sealing texts for storage, message authentication, and the digests of
 * credentials (contract/03#secrets, contract/07#stored-credentials). Invariants: the key itself encrypts and signs
 * nothing. Each purpose has its own subkey, so that what was made for one purpose is not accepted for another. A rotation
 * of the secret key changes the subkeys that seal and sign, and keeps those of digests, which cannot be computed again.
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
const fingerprint_chars = 16
const version = 'v1.'
/** The block size of SHA-256, and the longest text that is hashed without a stream. */
const block_bytes = 64
const short_chars = 1024

/** Purposes of digests that are stored or held by clients for longer than a rotation could wait. Their subkeys stay. */
const kept_purposes = [
  'cursor',
  'form page',
  'passwords',
  'preview_token',
  'refresh token',
  'reply',
  'sign-in attempts',
  'unsubscribe',
] as const
/** Purposes of signatures that live for an hour at most. Their subkeys change; the former ones are accepted for a while. */
const signing_purposes = ['download', 'file content', 'file preview', 'passkey challenge', 'console csrf'] as const

type MacPurpose = (typeof kept_purposes)[number]
type SigningPurpose = (typeof signing_purposes)[number]

/** Subkeys, in base64, that a rotation carries over from the former secret key; stored sealed with the new one. */
export interface CarriedKeys {
  /** By purpose; used in place of the subkeys of the secret key. */
  readonly kept: Readonly<Record<string, string>>
  /** By purpose; accepted beside the subkeys of the secret key until `until` (milliseconds). */
  readonly former: Readonly<Record<string, string>>
  readonly until: number
}

/** The text was not sealed with this key and context, or was changed since. */
export class SealBroken extends Error {
  override name = 'SealBroken'
  constructor() {
    super('the sealed text cannot be opened: it was changed, or sealed with another key or in another context')
  }
}

export class Sealer {
  readonly #secretKey: Buffer
  readonly #carried: CarriedKeys | null
  readonly #macKeys = new Map<string, MacKey>()
  readonly #formerKeys = new Map<string, MacKey>()
  readonly #sealKey: Buffer
  readonly #digestKey: MacKey

  /**
   * `secretKey`: the 32 bytes of ATRIUM_SECRET_KEY. RangeError for any other length. `carried`: what rotations have
   * carried over to it.
   */
  constructor(secretKey: Buffer, carried: CarriedKeys | null = null) {
    if (secretKey.length !== key_bytes) throw new RangeError('the secret key has 32 bytes')
    this.#secretKey = Buffer.from(secretKey)
    this.#carried = carried
    this.#sealKey = this.#subkey('seal')
    this.#digestKey = new MacKey(this.#keptKey('digest'))
    for (const purpose of kept_purposes) this.#macKeys.set(purpose, new MacKey(this.#keptKey(`mac:${purpose}`)))
    for (const purpose of signing_purposes) {
      this.#macKeys.set(purpose, new MacKey(this.#subkey(`mac:${purpose}`)))
      const former = carried?.former[`mac:${purpose}`]
      if (former !== undefined) this.#formerKeys.set(purpose, new MacKey(Buffer.from(former, 'base64')))
    }
  }

  /** Identifies the secret key, whatever was carried over to it, and says nothing about it: 16 hex digits. */
  get fingerprint(): string {
    return new MacKey(this.#subkey('digest')).mac('backup', 'hex').slice(0, fingerprint_chars)
  }

  /** What the next secret key needs of this one. Signatures made until now are accepted until `until` (milliseconds). */
  carryOver(until: number): CarriedKeys {
    const kept = ['digest', ...kept_purposes.map((purpose) => `mac:${purpose}`)]
    const former = signing_purposes.map((purpose) => `mac:${purpose}`)
    return {
      kept: Object.fromEntries(kept.map((purpose) => [purpose, this.#keptKey(purpose).toString('base64')])),
      former: Object.fromEntries(former.map((purpose) => [purpose, this.#subkey(purpose).toString('base64')])),
      until,
    }
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

  /** HMAC-SHA-256 of `text` (32 bytes) under the subkey of `purpose`. The same after a rotation of the secret key. */
  mac(purpose: MacPurpose, text: string): Buffer {
    return this.#mac(purpose, text)
  }

  /** The same for a signature that lives for an hour at most: a rotation of the secret key changes its subkey. */
  sign(purpose: SigningPurpose, text: string): Buffer {
    return this.#mac(purpose, text)
  }

  /**
   * Whether `signature`, in base64url, was made by `sign` for this text; for an hour after a rotation, also by the former
   * subkey. `now` is in milliseconds.
   */
  isSigned(purpose: SigningPurpose, text: string, signature: string, now: number): boolean {
    if (sameBytes(signature, this.#mac(purpose, text).toString('base64url'))) return true
    const former = now < (this.#carried?.until ?? 0) ? this.#formerKeys.get(purpose) : undefined
    return former !== undefined && sameBytes(signature, former.mac(text, 'base64url'))
  }

  /**
   * The form in which a credential is stored and looked up: HMAC-SHA-256 under the server's pepper, 64 hex digits
   * (contract/07#stored-credentials).
   */
  digest(credential: string): string {
    return this.#digestKey.mac(credential, 'hex')
  }

  #mac(purpose: MacPurpose | SigningPurpose, text: string): Buffer {
    return Buffer.from((this.#macKeys.get(purpose) as MacKey).mac(text, 'binary'), 'latin1')
  }

  #keptKey(purpose: string): Buffer {
    const kept = this.#carried?.kept[purpose]
    return kept === undefined ? this.#subkey(purpose) : Buffer.from(kept, 'base64')
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

  mac(text: string, encoding: 'hex' | 'binary' | 'base64url'): string {
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

/**
 * A software authenticator: creates passkeys without attestation and signs with them (WebAuthn §6.1, §6.5.4, §7). The
 * origin and the challenge, which a browser would add, are parameters, so that tests can forge them.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

type Cbor = number | string | Buffer | readonly (readonly [Cbor, Cbor])[]

/** The part of CBOR (RFC 8949) that an attestation needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, each]) => [cbor(key), cbor(each)])])
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()
const text = (bytes: Buffer): string => bytes.toString('base64url')

export interface Ceremony {
  readonly challenge: string
  readonly origin: string
  readonly domain: string
  /** The user was verified; without it, only present. */
  readonly verified?: boolean
}

export class Authenticator {
  readonly id = randomBytes(32)
  counter = 0
  private readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
  private userHandle = ''

  constructor() {
    this.keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** The response of `navigator.credentials.create`. */
  create(ceremony: Ceremony, user: string): object {
    this.userHandle = user
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' })
    const key = cbor([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    const length = Buffer.from([this.id.length >> 8, this.id.length & 255])
    const authData = Buffer.concat([this.data(ceremony, 0x40), Buffer.alloc(16), length, this.id, key])
    const attestation = cbor([
      ['fmt', 'none'],
      ['attStmt', []],
      ['authData', authData],
    ])
    return this.answer({
      clientDataJSON: text(this.client('webauthn.create', ceremony)),
      attestationObject: text(attestation),
      transports: ['internal'],
    })
  }

  /** The response of `navigator.credentials.get`. */
  get(ceremony: Ceremony): object {
    this.counter++
    const authData = this.data(ceremony, 0)
    const client = this.client('webauthn.get', ceremony)
    const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), this.keys.privateKey)
    return this.answer({
      clientDataJSON: text(client),
      authenticatorData: text(authData),
      signature: text(signature),
      userHandle: this.userHandle,
    })
  }

  private answer(response: object): object {
    const id = text(this.id)
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }

  private client(type: string, { challenge, origin }: Ceremony): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  private data({ domain, verified = true }: Ceremony, more: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(domain), Buffer.from([0x01 | (verified ? 0x04 : 0) | more]), count])
  }
}

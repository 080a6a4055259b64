/** Keys of the curve P-256, in base64url: points uncompressed, scalars of 32 bytes. */
import { createECDH } from 'node:crypto'

const curve = 'prime256v1'
const point_bytes = 65
const scalar_bytes = 32
/** The first byte of an uncompressed point. */
const uncompressed = 4

export interface KeyPair {
  readonly publicKey: string
  readonly privateKey: string
}

export function newKeyPair(): KeyPair {
  const pair = createECDH(curve)
  pair.generateKeys()
  return textsOf(pair.getPublicKey(), pair.getPrivateKey())
}

/** The pair of a private key; null for an invalid one. */
export function keyPairOf(privateKey: string): KeyPair | null {
  const pair = createECDH(curve)
  try {
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return textsOf(pair.getPublicKey(), pair.getPrivateKey())
  } catch {
    return null
  }
}

function textsOf(point: Buffer, scalar: Buffer): KeyPair {
  // A scalar with leading zeros comes shorter.
  const padded = Buffer.concat([Buffer.alloc(scalar_bytes - scalar.length), scalar])
  return { publicKey: point.toString('base64url'), privateKey: padded.toString('base64url') }
}

/** Whether the text is a point of the curve. */
export function isPublicKey(text: string): boolean {
  const point = Buffer.from(text, 'base64url')
  if (point.length !== point_bytes || point[0] !== uncompressed) return false
  try {
    const own = createECDH(curve)
    own.generateKeys()
    own.computeSecret(point)
    return true
  } catch {
    return false
  }
}

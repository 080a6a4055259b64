import { randomBytes } from 'node:crypto'

/** A new secret key: 32 random bytes. */
export function newSecretKey(): Buffer {
  return randomBytes(32)
}

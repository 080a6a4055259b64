/** Base 32 in lower case, without the letters i, l, o and u: for what people copy, and what ignores case. */
import { randomBytes } from 'node:crypto'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** The low five bits of each byte as a character. */
export function toBase32(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => digits.charAt(byte & 31)).join('')
}

/** `length` characters from a cryptographically strong source, all equally likely. */
export function randomBase32(length: number): string {
  return toBase32(randomBytes(length))
}

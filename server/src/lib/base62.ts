/** Base 62: digits, capitals, then small letters. */
import { randomFillSync } from 'node:crypto'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Bytes below this map evenly to the 62 characters; larger ones are dropped. */
const even_values = 248

const pool = new Uint8Array(4096)
let poolNext = pool.length

/** `length` characters of base 62 from a cryptographically strong source, all equally likely. */
export function randomBase62(length: number): string {
  let text = ''
  while (text.length < length) {
    if (poolNext === pool.length) {
      randomFillSync(pool)
      poolNext = 0
    }
    const byte = pool[poolNext] as number
    // A secret does not stay in the pool after it is returned.
    pool[poolNext++] = 0
    if (byte < even_values) text += digits[byte % 62]
  }
  return text
}

/**
 * `number` in base 62, padded with zeros to `width` characters. RangeError unless it is a safe integer from 0 that
 * fits.
 */
export function toBase62(number: number, width: number): string {
  if (!Number.isSafeInteger(number) || number < 0) throw new RangeError('base 62 takes safe integers from 0')
  let text = ''
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = digits.charAt(rest % 62) + text
  if (text.length > width) throw new RangeError(`the number needs more than ${width} characters in base 62`)
  return text.padStart(width, '0')
}

/**
 * The number that base-62 `text` stands for, exact up to 2^53 - 1; NaN if the text is empty or has another character.
 */
export function fromBase62(text: string): number {
  let number = text === '' ? Number.NaN : 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0x30 && code <= 0x39) number = number * 62 + (code - 0x30)
    else if (code >= 0x41 && code <= 0x5a) number = number * 62 + (code - 0x37)
    else if (code >= 0x61 && code <= 0x7a) number = number * 62 + (code - 0x3d)
    else return Number.NaN
  }
  return number
}

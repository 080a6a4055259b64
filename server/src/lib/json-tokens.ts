/**
 * Finds where the strings, numbers and spaces of a JSON text end, and whether the API accepts them
 * (contract/01#strings, contract/01#numbers; RFC 8259). Each function takes the text and a position and returns the
 * position after the token, or the negative number of a fault in `tokenFaults`. It never throws. Tested through
 * `strict-json.ts`.
 */

const quote = 0x22
const backslash = 0x5c
/** A number of at most this length, with at most two exponent digits, is far inside the range of a double. */
const short_number_chars = 100

const badString = -1
const badEscape = -2
const badNumber = -3
const nul = -4
const loneSurrogate = -5
const hugeNumber = -6
const hugeInteger = -7

/** Faults by their negated number, each as the end of a sentence; the first three mean malformed JSON. */
export const tokenFaults = [
  '',
  'a string without control characters and with a closing quote',
  'a string with valid escapes',
  'a number as JSON writes it',
  'a key or string holds the character U+0000',
  'a key or string holds a lone surrogate',
  'a number is out of range',
  'an integer beyond 2^53 - 1 cannot be kept exactly',
] as const

/** Whether the fault means that the text is not JSON. */
export function isMalformedToken(fault: number): boolean {
  return fault >= badNumber
}

/** From after the opening quote to after the closing one. */
export function stringEnd(source: string, from: number): number {
  for (let at = from; ; at++) {
    const code = source.charCodeAt(at)
    if (code === quote) return at + 1
    if (!(code >= 0x20) || code === backslash || (code & 0xf800) === 0xd800) return intricateStringEnd(source, at)
  }
}

/** The rest of a string, from its first escape, surrogate or forbidden character. */
function intricateStringEnd(source: string, from: number): number {
  let at = from
  let isHigh = false
  for (;;) {
    let unit = source.charCodeAt(at)
    if (unit === quote) return isHigh ? loneSurrogate : at + 1
    if (unit === backslash) {
      const letter = source.charCodeAt(at + 1)
      unit = letter === 0x75 ? hexUnit(source, at + 2) : simpleEscape(letter)
      if (unit < 0) return badEscape
      at += letter === 0x75 ? 6 : 2
    } else if (unit >= 0x20) at++
    else if (unit !== 0) return badString
    if (unit === 0) return nul
    const isLow = (unit & 0xfc00) === 0xdc00
    if (isLow !== isHigh) return loneSurrogate
    isHigh = (unit & 0xfc00) === 0xd800
  }
}

/** Whether `letter` may follow a backslash. The character it stands for does not matter here. */
function simpleEscape(letter: number): number {
  const isBracketed = letter === quote || letter === backslash || letter === 0x2f
  return isBracketed || letter === 0x6e || letter === 0x74 || letter === 0x72 || letter === 0x62 || letter === 0x66
    ? 0x20
    : -1
}

function hexUnit(source: string, from: number): number {
  let unit = 0
  for (let i = from; i < from + 4; i++) {
    const code = source.charCodeAt(i)
    const letter = code | 0x20
    if (code >= 0x30 && code <= 0x39) unit = unit * 16 + code - 0x30
    else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x57
    else return -1
  }
  return unit
}

/** From the minus or first digit to after the last digit. */
export function numberEnd(source: string, start: number): number {
  const digits = source.charCodeAt(start) === 0x2d ? start + 1 : start
  let at = digitsEnd(source, digits)
  if (at === digits || (at > digits + 1 && source.charCodeAt(digits) === 0x30)) return badNumber
  let code = source.charCodeAt(at)
  if (code !== 0x2e && (code | 0x20) !== 0x65) return at - start < 16 ? at : longIntegerEnd(source, start, at)
  if (code === 0x2e) {
    const fraction = at + 1
    at = digitsEnd(source, fraction)
    if (at === fraction) return badNumber
    code = source.charCodeAt(at)
  }
  let exponent = at
  if ((code | 0x20) === 0x65) {
    code = source.charCodeAt(at + 1)
    exponent = code === 0x2b || code === 0x2d ? at + 2 : at + 1
    at = digitsEnd(source, exponent)
    if (at === exponent) return badNumber
  }
  const isShort = at - start <= short_number_chars && at - exponent <= 2
  return isShort || Number.isFinite(Number(source.slice(start, at))) ? at : hugeNumber
}

function longIntegerEnd(source: string, start: number, end: number): number {
  const literal = source.slice(start, end)
  const value = Number(literal)
  if (Number.isSafeInteger(value)) return end
  if (!Number.isFinite(value)) return hugeNumber
  return BigInt(value) === BigInt(literal) ? end : hugeInteger
}

function digitsEnd(source: string, from: number): number {
  for (let at = from; ; at++) {
    const code = source.charCodeAt(at)
    if (!(code >= 0x30 && code <= 0x39)) return at
  }
}

/** Skips the four white-space characters of JSON. */
export function spaceEnd(source: string, from: number): number {
  for (let at = from; ; at++) {
    const code = source.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
  }
}

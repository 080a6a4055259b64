/**
 * Public ids: `prefix_` and a ULID of 26 Crockford characters in capitals, so that sorting by id is sorting by creation
 * (contract/01#public-ids). Invariant: within a process every id has a larger ULID than the id before it, whatever
 * their prefixes.
 */
import { randomFillSync } from 'node:crypto'

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const time_ms_max = 2 ** 48 - 1
const field_max = 2 ** 20 - 1
const badTime = 'the time of an id is 0 to 2^48 - 1 ms'

/** Two characters for each 10-bit number, and the value of each character code (255: not a Crockford capital). */
const pairs = Array.from({ length: 1024 }, (_, n) => digits.charAt(n >> 5) + digits.charAt(n & 31))
const values = new Uint8Array(128).fill(255)
for (let n = 0; n < 32; n++) values[digits.charCodeAt(n)] = n

// Faster than a loop over the characters, and never backtracks.
const publicId = /^[A-Za-z0-9][A-Za-z0-9:_-]{0,159}$/

const pool = new Uint32Array(1024)
let poolNext = pool.length

let lastTime = -1
let timeText = ''
// The 80 random bits in four fields, most significant first. The text of the first three is kept while only the last
// one counts up.
let high = 0
let middle = 0
let low = 0
let lowest = 0
let headText = ''

/**
 * A new id `prefix_<ULID>` for the time `now` (whole ms since the epoch, 0 to 2^48 - 1; RangeError beyond). 80 bits are
 * random. While `now` repeats or is in the past, the last time stays and the random part counts up, so ids rise even if
 * the clock goes back (contract/01#public-ids).
 */
export function newId(prefix: string, now: number): string {
  if (now >= lastTime + 1) startMillisecond(now)
  else if (now >= 0 && lowest < field_max) lowest++
  else carry(now)
  // Joined, because JSON.stringify takes twice as long for an object with a string that `+` has put together.
  return [prefix, headText, pairs[lowest >> 10], pairs[lowest & 1023]].join('')
}

/** The time part of an id of `newId`, in ms since the epoch. RangeError unless `id` ends in `_` and a ULID. */
export function idTime(id: string): number {
  const start = id.length - 26
  if (start < 1 || id.charCodeAt(start - 1) !== 0x5f || !isUlid(id, start))
    throw new RangeError('not an id with a ULID')
  let ms = 0
  for (let i = start; i < start + 10; i++) ms = ms * 32 + (values[id.charCodeAt(i)] as number)
  return ms
}

/** An id not larger than any id of this prefix and time (whole ms since the epoch, 0 to 2^48 - 1; RangeError beyond). */
export function smallestId(prefix: string, time: number): string {
  if (!(time >= 0 && time <= time_ms_max)) throw new RangeError(badTime)
  let text = ''
  for (let rest = time, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = digits.charAt(rest % 32) + text
  return `${prefix}_${text}${'0'.repeat(16)}`
}

/**
 * Whether `text` has the form of a public id: 1 to 160 of `A-Z a-z 0-9 : _ -`, first a letter or digit
 * (contract/01#public-ids).
 */
export function isPublicId(text: string): boolean {
  return publicId.test(text)
}

/** A regular expression, also valid in JSON Schema, that matches exactly the ids of `newId(prefix, …)`. */
export function idPattern(prefix: string): string {
  return `^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`
}

function startMillisecond(now: number): void {
  if (!(now <= time_ms_max)) throw new RangeError(badTime)
  lastTime = Math.floor(now)
  const top = Math.floor(lastTime / 2 ** 20)
  const bottom = lastTime % 2 ** 20
  timeText = `_${pairs[top >> 20]}${pairs[(top >> 10) & 1023]}${pairs[top & 1023]}${four(bottom)}`
  if (poolNext + 4 > pool.length) {
    randomFillSync(pool)
    poolNext = 0
  }
  high = (pool[poolNext++] as number) >>> 12
  middle = (pool[poolNext++] as number) >>> 12
  low = (pool[poolNext++] as number) >>> 12
  lowest = (pool[poolNext++] as number) >>> 12
  headText = [timeText, four(high), four(middle), four(low)].join('')
}

/** Carries out of the lowest field. After all 80 bits, the next millisecond starts early. */
function carry(now: number): void {
  if (!(now >= 0)) throw new RangeError(badTime)
  lowest = 0
  if (low < field_max) low++
  else if (middle < field_max) {
    low = 0
    middle++
  } else if (high < field_max) {
    low = 0
    middle = 0
    high++
  } else startMillisecond(lastTime + 1)
  headText = [timeText, four(high), four(middle), four(low)].join('')
}

function four(field: number): string {
  return (pairs[field >> 10] as string) + (pairs[field & 1023] as string)
}

function isUlid(id: string, start: number): boolean {
  if (id.charCodeAt(start) > 0x37) return false
  for (let i = start; i < start + 26; i++) {
    const code = id.charCodeAt(i)
    if (code > 127 || values[code] === 255) return false
  }
  return true
}

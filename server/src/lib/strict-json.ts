/**
 * JSON as the API accepts it: what `JSON.parse` accepts, except what two readers could understand differently
 * (contract/01#strings, contract/01#numbers, contract/02#request-bodies). One pass over the text checks it, then
 * `JSON.parse` builds the value, which is faster than building it here. Invariant: `JSON.parse` accepts every text that
 * passes the scan. The scan keeps its own stack of at most `depth_max` levels, and its time is linear in the text.
 *
 * Repeated keys are found by counting: the scan counts the members as written, a walk over the value counts those that
 * remain. Only if these differ does a second scan find the place.
 *
 * `JSON.parse` may misread a key that contains an escape: V8 takes it for another key, one with a backslash, that an earlier
 * text had (nodejs/node#63785). Keys with escapes are rare; `JSON.parse` gets other names in their place.
 */
import { randomUUID } from 'node:crypto'
import { isMalformedToken, numberEnd, spaceEnd, stringEnd, tokenFaults } from './json-tokens.ts'

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export interface JsonObject {
  [key: string]: JsonValue
}

/** Bounds of a text; a bound that is left out does not apply. */
export interface JsonBounds {
  readonly depth_max: number
  /** Keys per object. */
  readonly keys_max?: number
  /** Arrays and objects in the whole text. */
  readonly containers_max?: number
}

export type StrictJson = { ok: true; value: JsonValue } | { ok: false; message: string; path: string }

const path_chars_max = 200

const unbounded = { keys_max: Number.POSITIVE_INFINITY, containers_max: Number.POSITIVE_INFINITY }

/** What scanning functions return instead of a position. */
const failed = -1
const finished = -2

/** The object or array at one depth of the scan; reused. */
class Level {
  isObject = false
  /** Arrays: the index of the current item. Objects: the number of keys so far. */
  index = 0
  /** Objects: where the current key is in the text, without its quotes; -1 before the first key. */
  keyStart = -1
  keyEnd = -1
  /** Objects: the keys so far, in a scan that looks for a repeated one. */
  keys: Set<string> | null = null
}

// The state of the current scan. A scan runs without interruption, so one set of variables serves all scans.
let bounds: Required<JsonBounds> = { depth_max: 0, keys_max: 0, containers_max: 0 }
let levels: Level[] = []
let depth = 0
let members = 0
let containers = 0
let seeksRepeated = false
/** Parses JSON that this server has stored: it has the type of the value that was written. */
export function parseStored<T>(text: string): T {
  return parseJson(text) as T
}

/** The start and end of each key that contains an escape, without quotes. */
let escapedKeys: number[] = []
/** The first backslash at or behind the last key; -1 behind the last one. */
let nextEscape = -1
let message = ''
let path = ''

/**
 * Parses one JSON text. Refuses, with a sentence and the path of the place (such as `data[3].title`; `''` is the
 * whole):
 *
 * - malformed or empty text, a byte order mark, anything after the value
 * - arrays and objects nested deeper than `depth_max`, or more than `containers_max` of them
 * - an object with more than `keys_max` keys, or with one key twice, however it is escaped
 * - the key `__proto__`; U+0000 or a lone surrogate in a key or string
 * - a number outside the range of a double; an integer beyond ±(2^53 - 1) that a double cannot hold exactly
 *
 * Never throws. Positions in sentences count UTF-16 units from 0 (contract/02#request-bodies).
 */
export function parseStrictJson(text: string, options: JsonBounds): StrictJson {
  seeksRepeated = false
  bounds = { ...unbounded, ...options }
  if (scan(text) === finished) {
    const value = escapedKeys.length === 0 ? (JSON.parse(text) as JsonValue) : parseRenamed(text, escapedKeys)
    if (members === 0 || countMembers(value) === members) return { ok: true, value }
    seeksRepeated = true
    scan(text)
  }
  levels = []
  return { ok: false, message, path }
}

/** Parses the text with unique names without escapes in place of the keys with escapes, and gives these their names. */
function parseRenamed(text: string, keys: readonly number[]): JsonValue {
  const mark = randomUUID()
  const names: string[] = []
  let renamed = ''
  let from = 0
  for (let i = 0; i < keys.length; i += 2) {
    const [start, end] = [keys[i] as number, keys[i + 1] as number]
    renamed += `${text.slice(from, start)}${mark}${names.length}`
    names.push(JSON.parse(`"${text.slice(start, end)}"`) as string)
    from = end
  }
  const nameOf = (key: string) => (key.startsWith(mark) ? (names[Number(key.slice(mark.length))] as string) : key)
  return withNames(JSON.parse(renamed + text.slice(from)) as JsonValue, nameOf)
}

function withNames(value: JsonValue, nameOf: (key: string) => string): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withNames(item, nameOf))
  // An entry named __proto__ becomes a property; an assignment would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [nameOf(key), withNames(one, nameOf)]))
}

/**
 * Parses JSON of another host as `JSON.parse` does, with the names of keys as sent (see above). Throws SyntaxError if the
 * text is not JSON.
 */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue
  const escaped = text.includes('\\') ? escapedKeysOf(text) : []
  return escaped.length === 0 ? value : parseRenamed(text, escaped)
}

/** The start and end of each key that contains an escape, without quotes, in a text that is JSON. */
function escapedKeysOf(text: string): number[] {
  const found: number[] = []
  let start = text.indexOf('"')
  while (start >= 0) {
    let end = start + 1
    let isEscaped = false
    for (; text.charCodeAt(end) !== 0x22; end++) {
      if (text.charCodeAt(end) !== 0x5c) continue
      isEscaped = true
      end++
    }
    const isKey = text.charCodeAt(spaceEnd(text, end + 1)) === 0x3a
    if (isKey && isEscaped) found.push(start + 1, end)
    start = text.indexOf('"', end + 1)
  }
  return found
}

function countMembers(value: JsonValue): number {
  let count = 0
  if (typeof value !== 'object' || value === null) return count
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) count += countMembers(value[i] as JsonValue)
  // Faster than Object.keys, which creates an array; no inherited property is enumerable.
  else for (const key in value) count += 1 + countMembers(value[key] as JsonValue)
  return count
}

function scan(text: string): number {
  depth = 0
  containers = 0
  members = 0
  escapedKeys = []
  nextEscape = text.indexOf('\\')
  let at = spaceEnd(text, 0)
  if (at === text.length) return fail('the text is empty where a JSON value is expected')
  while (at >= 0) {
    const code = text.charCodeAt(at)
    if (code !== 0x7b && code !== 0x5b) at = scalar(text, code, at)
    else if (depth >= bounds.depth_max)
      return fail(`arrays and objects are nested deeper than ${bounds.depth_max} levels`, here(text))
    else if (++containers > bounds.containers_max)
      return fail(`there are more than ${bounds.containers_max} arrays and objects`, here(text))
    else at = enter(text, code === 0x7b, at + 1)
  }
  return at
}

/** Enters an object or array: moves to its first value or, if it is empty, past it. */
function enter(text: string, isObject: boolean, from: number): number {
  const at = spaceEnd(text, from)
  if (text.charCodeAt(at) === (isObject ? 0x7d : 0x5d)) return afterValue(text, at + 1)
  depth++
  levels[depth] ??= new Level()
  const level = levels[depth] as Level
  level.isObject = isObject
  level.index = 0
  if (seeksRepeated) level.keys = new Set()
  return isObject ? member(text, level, at) : at
}

function scalar(text: string, code: number, at: number): number {
  if (code === 0x22) {
    const end = stringEnd(text, at + 1)
    return end < 0 ? failToken(text, end, at) : afterValue(text, end)
  }
  if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
    const end = numberEnd(text, at)
    return end < 0 ? failToken(text, end, at) : afterValue(text, end)
  }
  if (code === 0x74 && text.startsWith('true', at)) return afterValue(text, at + 4)
  if (code === 0x66 && text.startsWith('false', at)) return afterValue(text, at + 5)
  if (code === 0x6e && text.startsWith('null', at)) return afterValue(text, at + 4)
  return malformed(text, code === 0xfeff ? 'a value and no byte order mark' : 'a value', at)
}

/** From the end of a value to the start of the next one, leaving all objects and arrays that end here. */
function afterValue(text: string, from: number): number {
  let at = from
  if (text.charCodeAt(at) <= 0x20) at = spaceEnd(text, at)
  while (depth > 0) {
    const level = levels[depth] as Level
    const code = text.charCodeAt(at)
    if (code === 0x2c) {
      at++
      if (text.charCodeAt(at) <= 0x20) at = spaceEnd(text, at)
      if (level.isObject) return member(text, level, at)
      level.index++
      return at
    }
    if (code !== (level.isObject ? 0x7d : 0x5d))
      return malformed(text, level.isObject ? "',' or '}'" : "',' or ']'", at)
    depth--
    at++
    if (text.charCodeAt(at) <= 0x20) at = spaceEnd(text, at)
  }
  return at === text.length ? finished : malformed(text, 'nothing after the value', at)
}

/** Reads a key and its colon, up to the value. */
function member(text: string, level: Level, at: number): number {
  if (text.charCodeAt(at) !== 0x22) return malformed(text, 'a key in double quotes', at)
  members++
  level.keyStart = -1
  if (++level.index > bounds.keys_max) return fail(`an object has more than ${bounds.keys_max} keys`, here(text))
  const end = stringEnd(text, at + 1)
  if (end < 0) return failToken(text, end, at)
  level.keyStart = at + 1
  level.keyEnd = end - 1
  if (nextEscape >= 0 && nextEscape < level.keyEnd) noteEscape(text, level)
  const first = text.charCodeAt(at + 1)
  if (first === 0x5f || first === 0x5c) {
    // A key that starts with an underscore or an escape is rare, so it is read in full.
    if (keyText(text, level) === '__proto__') return fail('the key __proto__ is not allowed', here(text))
  }
  if (level.keys !== null && isRepeated(text, level, level.keys))
    return fail('a key occurs twice in one object', here(text))
  let colon = end
  if (text.charCodeAt(colon) <= 0x20) colon = spaceEnd(text, colon)
  if (text.charCodeAt(colon) !== 0x3a) return malformed(text, "':'", colon)
  return text.charCodeAt(colon + 1) <= 0x20 ? spaceEnd(text, colon + 1) : colon + 1
}

function noteEscape(text: string, { keyStart, keyEnd }: Level): void {
  if (nextEscape < keyStart) nextEscape = text.indexOf('\\', keyStart)
  if (nextEscape >= 0 && nextEscape < keyEnd) escapedKeys.push(keyStart, keyEnd)
}

function isRepeated(text: string, level: Level, keys: Set<string>): boolean {
  const before = keys.size
  return keys.add(keyText(text, level)).size === before
}

function keyText(text: string, level: Level): string {
  const raw = text.slice(level.keyStart, level.keyEnd)
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw
}

function failToken(text: string, fault: number, at: number): number {
  const sentence = tokenFaults[-fault] as string
  return isMalformedToken(fault) ? malformed(text, sentence, at) : fail(sentence, here(text))
}

function malformed(text: string, expected: string, at: number): number {
  return fail(
    `malformed JSON ${at < text.length ? `at position ${at}` : 'at the end of the text'}, expected ${expected}`,
  )
}

function fail(sentence: string, place = ''): number {
  message = sentence
  path = place
  return failed
}

/** The path of the value, or of the object of the key, at which the scan is; cut to 200 characters. */
function here(text: string): string {
  let built = ''
  for (let i = 1; i <= depth && built.length <= path_chars_max; i++) {
    const level = levels[i] as Level
    if (!level.isObject) built += `[${level.index}]`
    else if (level.keyStart >= 0) {
      const key = keyText(text, level)
      built += !/^[\w$-]+$/.test(key) ? `[${JSON.stringify(key)}]` : built === '' ? key : `.${key}`
    }
  }
  return built.length > path_chars_max ? `${built.slice(0, path_chars_max).toWellFormed()}…` : built
}

/**
 * Signed cursors. The opaque kind holds a position and is bound to operation, realm and filters; the sorted kind is an
 * id-like token with the values of the sort keys. Both are made and read here only (decisions §6).
 */
import { hash } from 'node:crypto'
import { canonicalJson } from '../lib/canonical-json.ts'
import { limits } from '../lib/limits.ts'
import { type Sealer, sameBytes } from '../lib/seal.ts'
import { refuse } from './errors.ts'

const mac_bytes = 12
const filter_bytes = 6
const digest_bytes = 6
const opaque_version = 1
const sorted_version = 2
/** No id begins so. */
const sorted_prefix = 'cur_'
/** What base64url leaves of a token for the id and the values. */
const sorted_bytes_max =
  Math.floor(((limits.id_cursor_chars_max - sorted_prefix.length) * 3) / 4) - mac_bytes - 1 - filter_bytes

/** What a cursor is bound to. `filters` are those that a client may not change between pages. */
export interface CursorBinding {
  readonly operation: string
  readonly realm: number
  readonly filters: Readonly<Record<string, unknown>>
}

function filterTag(filters: Readonly<Record<string, unknown>>): Buffer {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  return hash('sha256', canonicalJson(given), 'buffer').subarray(0, filter_bytes)
}

function sign(sealer: Sealer, binding: CursorBinding, payload: Buffer): Buffer {
  const text = `${binding.operation}\n${binding.realm}\n${payload.toString('base64')}`
  return sealer.mac('cursor', text).subarray(0, mac_bytes)
}

function close(sealer: Sealer, binding: CursorBinding, version: number, position: unknown): string {
  const payload = Buffer.concat([
    Buffer.from([version]),
    filterTag(binding.filters),
    Buffer.from(JSON.stringify(position)),
  ])
  return Buffer.concat([sign(sealer, binding, payload), payload]).toString('base64url')
}

/** What was closed for this binding: `cursor_invalid` unless made here, `cursor_filter_mismatch` for other filters. */
function open(sealer: Sealer, binding: CursorBinding, version: number, text: string, param: string): unknown {
  const invalid = () => refuse('cursor_invalid', { param })
  if (text.length > limits.cursor_chars_max || !/^[A-Za-z0-9_-]+$/.test(text)) throw invalid()
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < mac_bytes + 1 + filter_bytes || bytes.toString('base64url') !== text) throw invalid()
  const payload = bytes.subarray(mac_bytes)
  if (!sameBytes(bytes.subarray(0, mac_bytes), sign(sealer, binding, payload)) || payload[0] !== version)
    throw invalid()
  if (!payload.subarray(1, 1 + filter_bytes).equals(filterTag(binding.filters))) {
    throw refuse('cursor_filter_mismatch', { param })
  }
  return JSON.parse(payload.subarray(1 + filter_bytes).toString())
}

/** An opaque cursor that stands behind `position`. */
export function makeCursor(sealer: Sealer, binding: CursorBinding, position: readonly (string | number)[]): string {
  return close(sealer, binding, opaque_version, position)
}

/** The position of a cursor. `cursor_invalid` unless made here for this list; `cursor_filter_mismatch` for other filters. */
export function readCursor(sealer: Sealer, binding: CursorBinding, cursor: string): (string | number)[] {
  return open(sealer, binding, opaque_version, cursor, 'cursor') as (string | number)[]
}

/** A text too long for a token: how it begins, and a digest by which the whole is known again. */
export type CutText = readonly [start: string, digest: string]
export type SortedValue = string | number | null

/** A row's place in a sorted list, as a token keeps it. */
export interface SortedPosition {
  readonly id: string
  readonly values: readonly (SortedValue | CutText)[]
}

/** Whether a list's cursor is a sorted list's token; otherwise it is an object's id. */
export function isSortedCursor(cursor: string): boolean {
  return cursor.startsWith(sorted_prefix)
}

/**
 * A token of at most 160 characters in the form of an id. One of the values may be a text: where it does not fit, its
 * beginning and its digest stand for it.
 */
export function makeSortedCursor(
  sealer: Sealer,
  binding: CursorBinding,
  { id, values }: { readonly id: string; readonly values: readonly SortedValue[] },
): string {
  let position: unknown[] = [id, ...values]
  if (bytesOf(position) > sorted_bytes_max) {
    const blank = [id, ...values.map((value) => (typeof value === 'string' ? ['', textDigest(value)] : value))]
    const room = sorted_bytes_max - bytesOf(blank)
    position = [id, ...values.map((value) => (typeof value === 'string' ? cutText(value, room) : value))]
  }
  return sorted_prefix + close(sealer, binding, sorted_version, position)
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** As many whole characters as take up `room` bytes in JSON. */
function cutText(text: string, room: number): CutText {
  let start = ''
  let left = room
  for (const character of text) {
    left -= bytesOf(character) - 2
    if (left < 0) break
    start += character
  }
  return [start, textDigest(text)]
}

/** What a cut text is compared by. */
export function textDigest(text: string): string {
  return hash('sha256', text, 'buffer').subarray(0, digest_bytes).toString('base64url')
}

/** The position of a token; refuses like `readCursor`, in the name of `param`. */
export function readSortedCursor(
  sealer: Sealer,
  binding: CursorBinding,
  cursor: string,
  param: string,
): SortedPosition {
  const text = cursor.slice(sorted_prefix.length)
  const [id, ...values] = open(sealer, binding, sorted_version, text, param) as [string, ...SortedPosition['values']]
  return { id, values }
}

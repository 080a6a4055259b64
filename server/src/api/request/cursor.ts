/**
 * Sealed cursors: opaque ones hold a position; sorted ones are id-like tokens with the values of the sort keys
 * (contract/06#sort-cursors, contract/06#opaque-cursors). Both are bound to operation, realm and filters. Clients cannot
 * read or change what a cursor holds. Equal positions give equal cursors, so that the entity tag of a page does not change.
 */
import { hash } from 'node:crypto'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { type Sealer, sameBytes } from '../../lib/seal.ts'
import { refuse } from '../declare/errors.ts'
import { limits } from '../limits.ts'

const mac_bytes = 12
/** What one call of the keystream gives. */
const mac_block_bytes = 32
const filter_bytes = 6
const digest_bytes = 6
const opaque_version = 1
const sorted_version = 2
/** No id has this prefix. */
const sorted_prefix = 'cur_'
/** Bytes that base64url leaves in a token for the id and the values. */
const sorted_bytes_max =
  Math.floor(((limits.id_cursor_chars_max - sorted_prefix.length) * 3) / 4) - mac_bytes - 1 - filter_bytes

/** A cursor is valid only for this list. `filters` are those that must not change between pages. */
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

/**
 * The payload combined with a keystream of the signature, which covers the payload and serves as the initialization
 * vector (SIV, RFC 5297).
 */
function mask(sealer: Sealer, signature: Buffer, payload: Buffer): Buffer {
  const masked = Buffer.from(payload)
  const start = `\n${signature.toString('base64')}\n`
  for (let at = 0; at < masked.length; at += mac_block_bytes) {
    const stream = sealer.mac('cursor', start + at)
    for (let i = 0; i < mac_block_bytes && at + i < masked.length; i++) {
      masked.writeUInt8(masked.readUInt8(at + i) ^ stream.readUInt8(i), at + i)
    }
  }
  return masked
}

function encodeCursor(sealer: Sealer, binding: CursorBinding, version: number, position: unknown): string {
  const payload = Buffer.concat([
    Buffer.from([version]),
    filterTag(binding.filters),
    Buffer.from(JSON.stringify(position)),
  ])
  const signature = sign(sealer, binding, payload)
  return Buffer.concat([signature, mask(sealer, signature, payload)]).toString('base64url')
}

/** The position in a cursor. Refuses a wrong signature as `cursor_invalid` and other filters as `cursor_filter_mismatch`. */
function decodeCursor(sealer: Sealer, binding: CursorBinding, version: number, text: string, param: string): unknown {
  const invalid = () => refuse('cursor_invalid', { param })
  if (text.length > limits.cursor_chars_max || !/^[A-Za-z0-9_-]+$/.test(text)) throw invalid()
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < mac_bytes + 1 + filter_bytes || bytes.toString('base64url') !== text) throw invalid()
  const signature = bytes.subarray(0, mac_bytes)
  const payload = mask(sealer, signature, bytes.subarray(mac_bytes))
  if (!sameBytes(signature, sign(sealer, binding, payload)) || payload[0] !== version) throw invalid()
  if (!payload.subarray(1, 1 + filter_bytes).equals(filterTag(binding.filters))) {
    throw refuse('cursor_filter_mismatch', { param })
  }
  return JSON.parse(payload.subarray(1 + filter_bytes).toString())
}

/** An opaque cursor after `position`. */
export function makeCursor(sealer: Sealer, binding: CursorBinding, position: readonly (string | number)[]): string {
  return encodeCursor(sealer, binding, opaque_version, position)
}

/** The position of an opaque cursor; refuses as `decodeCursor` does. */
export function readCursor(sealer: Sealer, binding: CursorBinding, cursor: string): (string | number)[] {
  return decodeCursor(sealer, binding, opaque_version, cursor, 'cursor') as (string | number)[]
}

/** A text that does not fit into a token: its start, and a digest of the whole. */
export type CutText = readonly [start: string, digest: string]
export type SortedValue = string | number | null

/** A row's position in a sorted list, as a token holds it. */
export interface SortedPosition {
  readonly id: string
  readonly values: readonly (SortedValue | CutText)[]
}

/** Whether a cursor is a sorted list's token; otherwise it is an object's id. */
export function isSortedCursor(cursor: string): boolean {
  return cursor.startsWith(sorted_prefix)
}

/** A token of at most 160 characters in the form of an id. A text value that does not fit is replaced by start and digest. */
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
  return sorted_prefix + encodeCursor(sealer, binding, sorted_version, position)
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/** The longest start of a text that takes at most `room` bytes in JSON, and the digest of the whole. */
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

/** Identifies a cut text. */
export function textDigest(text: string): string {
  return hash('sha256', text, 'buffer').subarray(0, digest_bytes).toString('base64url')
}

/** The position of a sorted list's token; refusals name `param`. */
export function readSortedCursor(
  sealer: Sealer,
  binding: CursorBinding,
  cursor: string,
  param: string,
): SortedPosition {
  const text = cursor.slice(sorted_prefix.length)
  const [id, ...values] = decodeCursor(sealer, binding, sorted_version, text, param) as [
    string,
    ...SortedPosition['values'],
  ]
  return { id, values }
}

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
const version = 1

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

/** An opaque cursor that stands behind `position`. */
export function makeCursor(sealer: Sealer, binding: CursorBinding, position: readonly (string | number)[]): string {
  const payload = Buffer.concat([
    Buffer.from([version]),
    filterTag(binding.filters),
    Buffer.from(JSON.stringify(position)),
  ])
  return Buffer.concat([sign(sealer, binding, payload), payload]).toString('base64url')
}

/** The position of a cursor. `cursor_invalid` unless made here for this list; `cursor_filter_mismatch` for other filters. */
export function readCursor(sealer: Sealer, binding: CursorBinding, cursor: string): (string | number)[] {
  const invalid = () => refuse('cursor_invalid', { param: 'cursor' })
  if (cursor.length > limits.cursor_chars_max || !/^[A-Za-z0-9_-]+$/.test(cursor)) throw invalid()
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length < mac_bytes + 1 + filter_bytes || bytes.toString('base64url') !== cursor) throw invalid()
  const payload = bytes.subarray(mac_bytes)
  if (!sameBytes(bytes.subarray(0, mac_bytes), sign(sealer, binding, payload)) || payload[0] !== version)
    throw invalid()
  if (!payload.subarray(1, 1 + filter_bytes).equals(filterTag(binding.filters))) {
    throw refuse('cursor_filter_mismatch', { param: 'cursor' })
  }
  return JSON.parse(payload.subarray(1 + filter_bytes).toString()) as (string | number)[]
}

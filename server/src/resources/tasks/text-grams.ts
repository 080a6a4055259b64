/**
 * Grams: every three characters in a row of a task's texts, hashed together with realm and column, as words of an index.
 * Invariant: a task whose title or description contains a text has every gram of that text. The reverse is not always true
 * (grams have no order, hashes collide), so tasks found by their grams are tested by the filter too.
 */
import type { Dialect } from '../../db/dialect.ts'
import { shortRealm } from '../../db/realms/numbers.ts'
import { lowerText } from './filter/sql.ts'

export type TextColumn = 'title' | 'description'

/** Length of a gram, in UTF-16 units. A shorter text has none. */
const gram_chars = 3

/** Grams of a searched text that are looked up. The first and last are among them. */
const searched_max = 24

const seeds: Readonly<Record<TextColumn, number>> = { title: 0x811c9dc5, description: 0x1c9dc581 }

/** All grams of a task's texts, each once, as its folded columns store them. */
export function gramsOf(
  dialect: Dialect,
  realm: number,
  { title_folded, description_folded }: { readonly title_folded: string; readonly description_folded: string | null },
): string[] {
  const hashes = new Set(hashesOf('title', title_folded))
  if (description_folded !== null) for (const hash of hashesOf('description', description_folded)) hashes.add(hash)
  return spelled(dialect, realm, [...hashes])
}

/** Grams that a task must have if its column contains a text; null if the text is too short to have any. */
export function gramsOfSearch(dialect: Dialect, realm: number, column: TextColumn, text: string): string[] | null {
  const hashes = [...new Set(hashesOf(column, lowerText(text)))]
  if (hashes.length === 0) return null
  const count = Math.min(hashes.length, searched_max)
  const step = count === 1 ? 0 : (hashes.length - 1) / (count - 1)
  const some = Array.from({ length: count }, (_, i) => hashes[Math.round(i * step)] as number)
  return spelled(dialect, realm, [...new Set(some)])
}

function hashesOf(column: TextColumn, text: string): number[] {
  // As an engine stores it: a lone half of a pair becomes U+FFFD.
  const stored = text.toWellFormed()
  const hashes: number[] = []
  for (let i = 0; i + gram_chars <= stored.length; i++) hashes.push(hashOf(column, stored, i))
  return hashes
}

/** FNV-1a over three units, then mixed, because neighbouring letters differ in few bits. 32 bits. */
function hashOf(column: TextColumn, text: string, at: number): number {
  let hash = seeds[column]
  for (let i = at; i < at + gram_chars; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

const hash_digits = 7

/** Words of SQLite's full-text index, or PostgreSQL's 64-bit numbers. */
function spelled(dialect: Dialect, realm: number, hashes: readonly number[]): string[] {
  if (dialect === 'sqlite') {
    const prefix = shortRealm(realm).toString(36)
    return hashes.map((hash) => prefix + hash.toString(36).padStart(hash_digits, '0'))
  }
  const high = BigInt(shortRealm(realm)) << 32n
  return hashes.map((hash) => String(high | BigInt(hash)))
}

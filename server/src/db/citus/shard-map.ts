/**
 * Which node holds which realms: Citus places a row by PostgreSQL's hash of its realm, and each shard has a range of hashes. Both
 * realms of an organization have the same hash.
 */
import { foldedHalves } from '../realms/numbers.ts'
import type { ShardTables } from './shard-tables.ts'

/** PostgreSQL's `hashint8`, the final mix of Bob Jenkins' lookup3, for numbers from 0 to 2^53. It cannot change: rows lie by it. */
export function hashOfRealm(realm: number): number {
  const start = (0x9e3779b9 + 4 + 3_923_095) | 0
  let [a, b, c] = [(start + foldedHalves(realm)) | 0, start, start]
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  return ((c ^ b) - rotate(b, 24)) | 0
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by))
}

export interface Shard {
  /** The first and last hash of its rows. */
  readonly low: number
  readonly high: number
  /** The node that holds it. */
  readonly node: string
  readonly tables: ShardTables
}

export class ShardMap {
  private readonly shards: readonly Shard[]

  constructor(shards: readonly Shard[]) {
    this.shards = shards.toSorted((one, other) => one.low - other.low)
  }

  /** The shard with the rows of a realm; null if that is unknown. */
  of(realm: number): Shard | null {
    const hash = hashOfRealm(realm)
    let [from, to] = [0, this.shards.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.shards[middle] as Shard).high < hash) from = middle + 1
      else to = middle
    }
    const shard = this.shards[from]
    return shard !== undefined && shard.low <= hash ? shard : null
  }
}

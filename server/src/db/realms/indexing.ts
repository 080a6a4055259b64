/** Realms that a worker indexes, several in one transaction. */
import { allOf } from '../../lib/all-of.ts'
import type { Tx, ViewOf } from '../store.ts'

export interface RealmToIndex {
  readonly realm: number
  readonly organization: string
  /** Events that are not indexed; null while its objects are walked. */
  readonly behind: number | null
}

/** A realm in a transaction. */
export interface RealmShare {
  readonly realm: number
  readonly organization: string
  /** The most events that are indexed, and the most objects of a walk. */
  readonly count: number
}

export interface IndexStep {
  readonly now: number
  /** Documents are numbered in each realm: the store is distributed. */
  readonly numbersRealms: boolean
}

/** Indexes all shares at once, so that what they read is sent together. Returns the sum of what `index` returned. */
export async function indexShares(
  viewOf: ViewOf,
  shares: readonly RealmShare[],
  index: (tx: Tx, share: RealmShare) => Promise<number>,
): Promise<number> {
  const counts = await allOf(shares.map((share) => index(viewOf(scopeOf(share)), share)))
  return counts.reduce((sum, count) => sum + count, 0)
}

export function scopeOf({ organization, realm }: Pick<RealmShare, 'organization' | 'realm'>) {
  return { organization, realms: [realm] }
}

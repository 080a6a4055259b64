/** What this process knows of each credit window, and the credits it has taken from it. */
import { performance } from 'node:perf_hooks'
import { limits } from '../limits.ts'
import type { CreditWindow } from './credit-limits.ts'

/** One window as this process knows it. */
export interface Account {
  window: CreditWindow
  /** Credits spent or held by any process, as last read; includes `inHand` and `uncounted`. */
  used: number
  /** Credits taken by this process and not spent yet. */
  inHand: number
  /**
   * Credits of `inHand`, or spent, that the window's row does not count yet: the window has no limit, or they were taken
   * while the database was read-only.
   */
  uncounted: number
  touchedAt: number
  /** Number of running reads of this window. `inHand` is not returned meanwhile, so that both figures match. */
  readers: number
}

/** Credits left in a window; null without a limit. */
export function remainingOf(account: Account): number | null {
  const { limit } = account.window
  return limit === null ? null : Math.max(0, limit - account.used + account.inHand)
}

/** Reserves the price in all accounts or in none. Synchronous, so no other request can spend in between. */
export function reserveCredits(accounts: readonly Account[], price: number): boolean {
  for (const account of accounts)
    if (account.inHand < price && account.window.limit === null)
      grant(account, Math.max(price, limits.credits_block_max))
  if (!accounts.every((account) => account.inHand >= price)) return false
  for (const account of accounts) account.inHand -= price
  return true
}

/** Takes credits that the window's row counts later: without limit, so they cost no statement, or while it is read-only. */
export function grant(account: Account, taken: number): void {
  account.inHand += taken
  account.uncounted += taken
  account.used += taken
}

/** Runs a read of windows; none of their credits are returned meanwhile. */
export async function keepWhileReading<T>(accounts: readonly Account[], read: () => Promise<T>): Promise<T> {
  for (const account of accounts) account.readers++
  try {
    return await read()
  } finally {
    const touchedAt = performance.now()
    for (const account of accounts) {
      account.readers--
      account.touchedAt = touchedAt
    }
  }
}

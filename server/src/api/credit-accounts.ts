/** What a process knows of the credit windows that it spends from, and what it holds of them in hand. */
import { performance } from 'node:perf_hooks'
import type { CreditWindow } from './credit-limits.ts'

/** What this process knows of one window. */
export interface Account {
  window: CreditWindow
  /** Spent or held by anyone, as last read; includes `inHand`. */
  used: number
  /** Taken by this process and not yet spent. */
  inHand: number
  touchedAt: number
  /** How many read the window at the moment: until they know both figures, what is in hand stays there. */
  readers: number
}

/** What is left of a window, for whoever asks now; `null`: it has no limit. */
export function remainingOf(account: Account): number | null {
  const { limit } = account.window
  return limit === null ? null : Math.max(0, limit - account.used + account.inHand)
}

/** Takes the price from every hand at once, or from none. Nothing runs between the look and the taking. */
export function hold(accounts: readonly Account[], price: number): boolean {
  if (!accounts.every((account) => account.inHand >= price)) return false
  for (const account of accounts) account.inHand -= price
  return true
}

/** Reads windows; meanwhile nothing of theirs is given back. */
export async function reading<T>(accounts: readonly Account[], read: () => Promise<T>): Promise<T> {
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

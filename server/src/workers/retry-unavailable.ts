import { StoreUnavailable } from '../db/store.ts'
import { backOff } from '../lib/back-off.ts'

export interface Patience {
  /** Attempts, including the first; unlimited by default. */
  readonly tries_max?: number
  /** Time after which no attempt is repeated; unlimited by default. */
  readonly patience_ms?: number
  /** Upper bound of the first wait; it doubles with each attempt. */
  readonly pause_ms: number
}

/** Repeats an attempt while the store is unavailable and patience lasts. Rejects with the last error. */
export async function retryUnavailable<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const { tries_max = Number.POSITIVE_INFINITY, patience_ms = Number.POSITIVE_INFINITY, pause_ms } = patience
  const until = performance.now() + patience_ms
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const isOver = tries >= tries_max || performance.now() > until
      if (isOver || !(error instanceof StoreUnavailable)) throw error
    }
    await backOff(tries, pause_ms)
  }
}

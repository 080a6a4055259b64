/**
 * Waits before the next attempt: up to `first_ms`, doubled with each attempt up to 64 times, with full jitter so that
 * competitors spread out.
 */
export async function backOff(attempt: number, first_ms: number): Promise<void> {
  const bound = first_ms * 2 ** Math.min(attempt - 1, 6)
  await new Promise((resolve) => setTimeout(resolve, Math.random() * bound))
}

/**
 * `wait_ms`, varied at random by up to `percent` in either direction, so that what failed together is not retried
 * together.
 */
export function jittered(wait_ms: number, percent: number): number {
  return Math.round(wait_ms * (1 + ((Math.random() * 2 - 1) * percent) / 100))
}

/** Waiting before another try: doubles with each attempt, with full jitter, so that competitors part. */
export async function backOff(attempt: number, first_ms: number): Promise<void> {
  const bound = first_ms * 2 ** Math.min(attempt - 1, 6)
  await new Promise((resolve) => setTimeout(resolve, Math.random() * bound))
}

/** `wait_ms`, longer or shorter by up to `percent`, so that what failed together is not repeated together. */
export function jittered(wait_ms: number, percent: number): number {
  return Math.round(wait_ms * (1 + ((Math.random() * 2 - 1) * percent) / 100))
}

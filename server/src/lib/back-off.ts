/** Waiting before another try: doubles with each attempt, with full jitter, so that competitors part. */
export async function backOff(attempt: number, first_ms: number): Promise<void> {
  const bound = first_ms * 2 ** Math.min(attempt - 1, 6)
  await new Promise((resolve) => setTimeout(resolve, Math.random() * bound))
}

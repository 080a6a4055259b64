/** Calls `job` when the page is idle, at the latest after `ms_max`. Safari does not say when it is. Returns a function that cancels. */
export function whenIdle(job: () => void, ms_max: number): () => void {
  if ('requestIdleCallback' in globalThis) {
    const idle = requestIdleCallback(job, { timeout: ms_max })
    return () => cancelIdleCallback(idle)
  }
  const timer = setTimeout(job, ms_max)
  return () => clearTimeout(timer)
}

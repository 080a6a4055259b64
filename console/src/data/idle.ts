import { queryClient } from './query-client.ts'

/** Between two looks at whether the page has what it shows. */
const look_ms = 200

/**
 * Calls `job` when the page has read what it shows and is idle, at the latest after `ms_max`: while the page waits for its
 * reads it is idle too, and their answers would have to wait for the job. Returns a function that cancels.
 */
export function whenIdle(job: () => void, ms_max: number): () => void {
  const end = performance.now() + ms_max
  let cancel = () => {}
  const look = () => {
    const left_ms = end - performance.now()
    if (hasRead() || left_ms <= 0) cancel = whenBrowserIdle(job, Math.max(left_ms, look_ms))
    else cancel = later(look, look_ms)
  }
  look()
  return () => cancel()
}

function hasRead(): boolean {
  const isDone = queryClient
    .getQueryCache()
    .getAll()
    .some(({ state }) => state.status !== 'pending')
  return isDone && queryClient.isFetching() === 0
}

/** Safari does not say when it is idle. */
function whenBrowserIdle(job: () => void, ms_max: number): () => void {
  if (!('requestIdleCallback' in globalThis)) return later(job, ms_max)
  const idle = requestIdleCallback(job, { timeout: ms_max })
  return () => cancelIdleCallback(idle)
}

function later(job: () => void, ms: number): () => void {
  const timer = setTimeout(job, ms)
  return () => clearTimeout(timer)
}

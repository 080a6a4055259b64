/**
 * Whether the server can be reached. A request that fails on the network starts probes; the connection counts as lost after
 * the first failed probe, and as back after the first answered one.
 */
import { ConnectionError } from '@atrium/sdk'
import { createStore, useStore } from '../lib/store.ts'

const probe_ms_min = 1000
const probe_ms_max = 10_000
const probe_timeout_ms = 5000

/** Milliseconds since the epoch; null while the server can be reached. */
const lostSince = createStore<number | null>(null)
const lostHandlers = new Set<() => void>()
const backHandlers = new Set<(wasLost: boolean) => void>()
let isProbing = false

export function useLostSince(): number | null {
  return useStore(lostSince)
}

/** Whether a request has failed on the network and no probe has been answered since. */
export function isLost(): boolean {
  return isProbing
}

export function onLost(handler: () => void): void {
  lostHandlers.add(handler)
}

/** `wasLost`: no probe was answered for a while. Else one request alone had failed. */
export function onBack(handler: (wasLost: boolean) => void): void {
  backHandlers.add(handler)
}

/** Call after a request failed on the network. */
export function connectionLost(): void {
  if (isProbing) return
  isProbing = true
  for (const handler of lostHandlers) handler()
  void probeUntilBack(Date.now())
}

async function probeUntilBack(since: number): Promise<void> {
  for (let wait = probe_ms_min; !(await isReachable()); wait = Math.min(probe_ms_max, wait * 2)) {
    lostSince.set(since)
    await pauseOrOnline(wait)
  }
  isProbing = false
  const wasLost = lostSince.get() !== null
  lostSince.set(null)
  for (const handler of backHandlers) handler(wasLost)
}

async function isReachable(): Promise<boolean> {
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(probe_timeout_ms) })
    return ok
  } catch {
    return false
  }
}

/** Ends early when the browser reports that it is online again. */
function pauseOrOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
  })
}

addEventListener('offline', connectionLost)

/** Whether no answer arrived, as `fetch` and the clients report it. */
export function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ConnectionError
}

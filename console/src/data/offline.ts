/**
 * A page that is opened without a connection: the service worker has its files, `kept-reads.ts` what it showed. Both are
 * loaded when the page is idle, and by a page that cannot reach the server.
 */
import { loadSession } from './app-api.ts'
import { isNetworkFailure, onBack } from './connection.ts'
import { registerServiceWorker } from './service-worker.ts'
import { currentSession } from './session-store.ts'

let opening: Promise<void> | undefined

/** Loads the session, once; without a connection the kept one, which is checked when the connection is back. */
export async function openSession(): Promise<void> {
  if (currentSession() !== undefined) return
  opening ??= loadOrRestore().finally(() => {
    opening = undefined
  })
  await opening
}

async function loadOrRestore(): Promise<void> {
  try {
    await loadSession()
  } catch (error) {
    if (!isNetworkFailure(error)) throw error
    const { restoreReads } = await import('./kept-reads.ts')
    if (!(await restoreReads())) throw error
    onBack(() => void loadSession().catch(() => {}))
  }
}

/** Makes the page ready to be opened without a connection. */
export async function prepareOffline(): Promise<void> {
  const { startKeeping } = await import('./kept-reads.ts')
  await startKeeping()
  if (!('serviceWorker' in navigator)) return
  keepFiles(await registerServiceWorker())
  const { followNotices } = await import('./push.ts')
  await followNotices()
}

const files = /^\/(?:assets\/|[\w-]+\.(?:js|svg)$)/

/** Names the page's files to the program, also those that load until it controls the page. */
function keepFiles({ active }: ServiceWorkerRegistration): void {
  const observer = new PerformanceObserver((list) => {
    const loaded = list.getEntries().map(({ name }) => new URL(name).pathname)
    active?.postMessage({ loaded: loaded.filter((path) => files.test(path)) })
  })
  observer.observe({ type: 'resource', buffered: true })
}

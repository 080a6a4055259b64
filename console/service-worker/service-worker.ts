/**
 * Keeps the console's page and its files for a browser without a connection, and shows the notices that the server sends. The
 * network answers a navigation while it can; the kept page is an answer of the server, so it has the same
 * Content-Security-Policy. Data is not kept here (`src/data/kept-reads.ts`), and requests of `/v1` and `/app/api` pass by.
 */
declare const self: ServiceWorkerGlobalScope

const page_path = '/'
/** What only the console's own page contains. */
const page_mark = '<div id="root">'
const cache_prefix = 'atrium-page-'
/** The server sends files by `Accept-Encoding`, and kept answers no longer depend on it. */
const any_variant = { ignoreVary: true }
/** A page that takes longer is shown from the browser: it is the same file. */
const page_timeout_ms = 4000
const file_attempts_max = 3
const file_retry_ms = 1000
/** What a proxy answers for a server that does not run. */
const unavailable = [502, 503, 504]
const files = /^\/(?:assets\/[^/]+|(?:first-requests|appearance)\.js|icon\.svg)$/
/** Documents that are not pages of the console. */
const others = /^\/(?:v1|docs|app|mcp|healthz)(?:\/|$)/

self.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([keepFirst(), self.skipWaiting()]))
})

async function keepFirst(): Promise<void> {
  const answer = await fetch(page_path, { headers: { accept: 'text/html' } })
  if (answer.ok) await keepPage(answer)
}

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable()]))
})

/** A page names the files that it loaded before this program controlled it. */
self.addEventListener('message', (event) => {
  const { loaded } = event.data as { readonly loaded: readonly string[] }
  event.waitUntil(keepFiles(loaded.filter((path) => files.test(path))))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  if (request.mode === 'navigate') {
    if (!others.test(url.pathname)) event.respondWith(pageFor(event))
  } else if (files.test(url.pathname)) event.respondWith(fileFor(event))
})

async function pageFor(event: FetchEvent): Promise<Response> {
  const answered = networkPage(event)
  const kept = await keptPage()
  if (kept === undefined) return await answered
  const answer = await Promise.race([answered.catch(() => null), pause(page_timeout_ms)])
  if (answer === null || unavailable.includes(answer.status)) return kept
  if (answer.ok) event.waitUntil(keepPage(answer.clone()))
  return answer
}

async function networkPage(event: FetchEvent): Promise<Response> {
  const preloaded = (await event.preloadResponse) as Response | undefined
  return preloaded ?? (await fetch(event.request))
}

function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms))
}

async function fileFor(event: FetchEvent): Promise<Response> {
  const { pathname } = new URL(event.request.url)
  const isFinal = pathname.startsWith('/assets/')
  const kept = isFinal ? await caches.match(pathname, any_variant) : undefined
  if (kept !== undefined) return kept
  try {
    const answer = await fetch(event.request)
    if (answer.ok) event.waitUntil(keepFile(pathname, answer.clone()))
    return answer
  } catch (error) {
    const last = await caches.match(pathname, any_variant)
    if (last === undefined) throw error
    return last
  }
}

/** The newest cache with a page. One without a page is being filled. */
async function currentCache(): Promise<Cache | null> {
  for (const name of (await cacheNames()).reverse()) {
    const cache = await caches.open(name)
    if ((await cache.match(page_path, any_variant)) !== undefined) return cache
  }
  return null
}

async function cacheNames(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(cache_prefix))
}

async function keptPage(): Promise<Response | undefined> {
  return await (await currentCache())?.match(page_path, any_variant)
}

async function keepFile(path: string, answer: Response): Promise<void> {
  await (await currentCache())?.put(path, answer)
}

/** A file that cannot be kept takes no other with it. */
async function keepFiles(paths: readonly string[]): Promise<void> {
  if ((await currentCache()) === null) await keepFirst().catch(() => {})
  const cache = await currentCache()
  if (cache === null) return
  for (const path of paths) {
    if ((await cache.match(path, any_variant)) === undefined) await addFile(cache, path)
  }
}

async function addFile(cache: Cache, path: string): Promise<void> {
  for (let attempt = 1; attempt <= file_attempts_max; attempt++) {
    try {
      return await cache.add(path)
    } catch {
      if (attempt < file_attempts_max) await pause(file_retry_ms)
    }
  }
}

let keeping: Promise<void> = Promise.resolve()

function keepPage(answer: Response): Promise<void> {
  keeping = keeping.then(() => keepVersion(answer)).catch(() => {})
  return keeping
}

/**
 * Keeps a page with the files that it names. A new version replaces the one before when all its files are here, so a page
 * that is kept can always be shown.
 */
async function keepVersion(answer: Response): Promise<void> {
  const text = await answer.clone().text()
  // A network may answer with a page of its own, to ask for a password for example.
  if (!text.includes(page_mark) || text === (await (await keptPage())?.text())) return
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  const before = await cacheNames()
  const name = `${cache_prefix}${Date.now()}`
  const cache = await caches.open(name)
  try {
    await cache.addAll(named.filter((path) => files.test(path)))
    await cache.put(page_path, answer)
  } catch {
    await caches.delete(name)
    return
  }
  for (const old of before) await caches.delete(old)
}

interface Notice {
  readonly title: string
  readonly body: string
  readonly path: string
  readonly tag: string
}

/** A notice takes the place of an earlier one about the same subject, and is heard again. */
self.addEventListener('push', (event) => {
  if (event.data === null) return
  const { title, body, path, tag } = event.data.json() as Notice
  const options = { body, tag, renotify: true, icon: '/icon-192.png', data: { path } }
  event.waitUntil(self.registration.showNotification(title, options))
})

self.addEventListener('notificationclick', (event) => {
  const { path } = event.notification.data as { readonly path: string }
  event.notification.close()
  event.waitUntil(openPage(path))
})

/** In a page that is open, which keeps what is being written there, else in a new one. */
async function openPage(path: string): Promise<void> {
  const [page] = await self.clients.matchAll({ type: 'window' })
  if (page === undefined) {
    await self.clients.openWindow(path)
    return
  }
  page.postMessage({ open: path })
  await page.focus()
}

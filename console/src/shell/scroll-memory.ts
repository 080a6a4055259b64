/**
 * Keeps how far each part of a page is scrolled. Coming back to a page by Back, Forward or reload restores it, as soon as
 * the parts are long enough; a user who scrolls first wins. Opening a page by a link starts at its top.
 */

const storage_key = 'atrium.scroll'
/** Pages whose places are kept. */
const pages_max = 50
/** After this time a part that is still too short is left as it is. */
const wait_ms_max = 8000
/** A part that was restored may be rendered again while its page is read; until this time it is restored again. */
const settle_ms = 1500
const inner_params = ['task', 'part', 'panel', 'organization']
const user_events = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

type Place = readonly [top: number, left: number]

/** By page, then by part. */
const kept = readKept()
let page = pageKey()
/** Ends a restoration under way. */
let stop = () => {}

/** Starts to record and restore. Call once. */
export function rememberScroll(): void {
  history.scrollRestoration = 'manual'
  document.addEventListener('scroll', onScroll, { capture: true, passive: true })
  addEventListener('popstate', () => change(true))
  for (const name of ['pushState', 'replaceState']) addEventListener(name, () => change(false))
  addEventListener('pagehide', store)
  for (const name of user_events) addEventListener(name, () => stop(), { capture: true, passive: true })
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (entry?.type === 'reload' || entry?.type === 'back_forward') restore(kept.get(page))
}

/** A panel and its tab are parts of the page behind them. */
function pageKey(): string {
  const params = new URLSearchParams(location.search)
  for (const name of inner_params) params.delete(name)
  return `${location.pathname}?${params}`
}

function change(isReturn: boolean): void {
  const next = pageKey()
  if (next === page) return
  stop()
  page = next
  const places = kept.get(next)
  kept.delete(next)
  kept.set(next, isReturn && places !== undefined ? places : new Map())
  for (const [oldest] of kept) if (kept.size > pages_max) kept.delete(oldest)
  if (isReturn) restore(places)
}

function onScroll({ target }: Event): void {
  if (!(target instanceof HTMLElement) || target.closest('[role="dialog"], .shell-side')) return
  // React removes the old page after the address has changed, and its parts scroll no more.
  if (!target.isConnected || page !== pageKey()) return
  const places = kept.get(page) ?? new Map<string, Place>()
  places.set(partOf(target), [target.scrollTop, target.scrollLeft])
  kept.set(page, places)
}

/** Names a part of a page: its class, and the column of a board it is in. */
function partOf(element: HTMLElement): string {
  return `${element.classList[0] ?? ''} ${element.closest<HTMLElement>('[data-column]')?.dataset.column ?? ''}`
}

function elementOf(part: string): HTMLElement | undefined {
  const [name = '', column = ''] = part.split(' ')
  if (name === '') return
  const scope = column === '' ? document : document.querySelector(`[data-column="${CSS.escape(column)}"]`)
  return scope?.querySelector<HTMLElement>(`.${CSS.escape(name)}`) ?? undefined
}

function restore(places: ReadonlyMap<string, Place> | undefined): void {
  if (places === undefined) return
  const open = new Map([...places].filter(([, [top, left]]) => top > 0 || left > 0))
  const until = performance.now() + wait_ms_max
  const restored = new Map<string, number>()
  let frame = 0
  stop = () => cancelAnimationFrame(frame)
  const attempt = () => {
    for (const [part, [top, left]] of open) {
      const element = elementOf(part)
      if (element === undefined) continue
      const isLongEnough =
        element.scrollHeight - element.clientHeight >= top && element.scrollWidth - element.clientWidth >= left
      if (!isLongEnough) continue
      if (element.scrollTop !== top || element.scrollLeft !== left) {
        element.scrollTo({ top, left, behavior: 'instant' })
        restored.set(part, performance.now())
      } else if (performance.now() - (restored.get(part) ?? 0) > settle_ms) open.delete(part)
    }
    if (open.size > 0 && performance.now() < until) frame = requestAnimationFrame(attempt)
  }
  // After the page of the new address is rendered.
  frame = requestAnimationFrame(attempt)
}

function readKept(): Map<string, Map<string, Place>> {
  try {
    // What this file stored, of this browser tab.
    const stored = JSON.parse(sessionStorage.getItem(storage_key) ?? '[]') as [string, [string, Place][]][]
    return new Map(stored.map(([key, places]) => [key, new Map(places)]))
  } catch {
    return new Map()
  }
}

function store(): void {
  try {
    sessionStorage.setItem(storage_key, JSON.stringify([...kept].map(([key, places]) => [key, [...places]])))
  } catch {
    // Without storage a reload starts at the top.
  }
}

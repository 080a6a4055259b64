/** Maps paths to pages. Each page is a chunk, loaded when it is opened or its link is hovered. */
import { Ban } from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import type { AreaPage } from '../app/area.ts'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { useHasRole } from '../data/session-store.ts'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import { t } from '../language/index.ts'
import { areas } from './areas.ts'

const pages: readonly AreaPage[] = [
  ...areas.flatMap((area) => area.pages.map((page) => (area.role && !page.role ? { ...page, role: area.role } : page))),
  { path: '/open/:id?', load: () => import('../pages/open/open-page.tsx').then((module) => module.OpenPage) },
]

/** Paths with the same loader share one chunk, so switching between them does not suspend. */
const chunks = new Map<AreaPage['load'], LazyExoticComponent<ComponentType>>(
  pages.map(({ load }) => [load, lazy(async () => ({ default: await load() }))]),
)

const NotFoundPage = lazy(async () => ({ default: (await import('../pages/not-found-page.tsx')).NotFoundPage }))

/** Loads the page of a path before it is opened. */
export function preload(path: string): void {
  const page = pages.find((each) => matchesPath(each.path, path))
  page?.load().catch(() => {})
}

/** Whether a path matches a pattern with segments such as `:id` and `:id?`. */
function matchesPath(pattern: string, path: string): boolean {
  const [expected, actual] = [pattern.split('/'), path.split('/')]
  if (actual.length > expected.length) return false
  return expected.every((segment, i) =>
    segment.startsWith(':') ? segment.endsWith('?') || Boolean(actual[i]) : segment === actual[i],
  )
}

export function Pages() {
  const [path] = useLocation()
  return (
    <ErrorBoundary resetKey={path}>
      <Suspense fallback={<PageSkeleton />}>
        <Switch>
          {pages.map((page) => (
            <Route key={page.path} path={page.path}>
              <Guarded page={page} />
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}

function Guarded({ page }: { readonly page: AreaPage }) {
  const may = useHasRole(page.role ?? 'admin') || page.role === undefined
  const Chunk = chunks.get(page.load)
  if (!may && (page.role === 'operator' || page.role === 'member')) return <NotFoundPage />
  if (!may) return <Forbidden role={page.role === 'owner' ? 'owner' : 'admin'} />
  return Chunk === undefined ? null : <Chunk />
}

function Forbidden({ role }: { readonly role: 'admin' | 'owner' }) {
  return (
    <Page title={t('Access denied')}>
      <Empty
        icon={Ban}
        title={role === 'owner' ? t('Only owners can view this page') : t('Only admins and owners can view this page')}
      >
        {t('An owner of the organization can change your role in Settings → People.')}
      </Empty>
    </Page>
  )
}

function PageSkeleton() {
  return (
    <div className="page page-skeleton" aria-busy="true">
      <div className="page-head">
        <div className="page-line">
          <Skeleton width="12rem" height="1.25rem" />
        </div>
      </div>
    </div>
  )
}

/** Scrolls a newly opened page to its top and returns its title for screen readers. A change of the query does neither. */
export function usePageChange(main: { readonly current: HTMLElement | null }): string {
  const [path] = useLocation()
  const [announcement, setAnnouncement] = useState('')
  const previous = useRef(path)
  useEffect(() => {
    if (previous.current === path) return
    previous.current = path
    main.current?.scrollTo(0, 0)
    // The title changes once the page has loaded.
    const observer = new MutationObserver(() => setAnnouncement(document.title.replace(/ · Atrium$/, '')))
    const title = document.querySelector('title')
    if (title) observer.observe(title, { childList: true })
    return () => observer.disconnect()
  }, [path, main])
  return announcement
}

/** From the path to the page. Pages come in chunks of their own and are loaded when they are opened, or pointed at. */
import { Ban } from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useMay } from '../data/session-store.ts'
import { Empty } from '../design/empty.tsx'
import { Page } from '../design/page.tsx'
import { Skeleton } from '../design/skeleton.tsx'
import type { AreaPage } from './area.ts'
import { areas } from './areas.ts'
import { ErrorBoundary } from './error-boundary.tsx'

const pages: readonly AreaPage[] = [
  ...areas.flatMap((area) => area.pages.map((page) => (area.role && !page.role ? { ...page, role: area.role } : page))),
  { path: '/open/:id?', load: () => import('../pages/open/open-page.tsx').then((module) => module.OpenPage) },
]

/** Paths that load alike lead to the same page, which is not waited for again. */
const chunks = new Map<AreaPage['load'], LazyExoticComponent<ComponentType>>(
  pages.map(({ load }) => [load, lazy(async () => ({ default: await load() }))]),
)

const NotFoundPage = lazy(async () => ({ default: (await import('../pages/not-found-page.tsx')).NotFoundPage }))

/** Loads the page that a path leads to, before it is opened. */
export function preload(path: string): void {
  const page = pages.find((each) => leadsTo(each.path, path))
  page?.load().catch(() => {})
}

/** Whether a pattern, of segments like `:id` and `:id?`, is that of a path. */
function leadsTo(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (given.length > wanted.length) return false
  return wanted.every((segment, at) =>
    segment.startsWith(':') ? segment.endsWith('?') || Boolean(given[at]) : segment === given[at],
  )
}

export function Pages() {
  const [path] = useLocation()
  return (
    <ErrorBoundary of={path}>
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
  const may = useMay(page.role ?? 'admin') || page.role === undefined
  const Chunk = chunks.get(page.load)
  if (!may) return <Forbidden role={page.role ?? 'admin'} />
  return Chunk === undefined ? null : <Chunk />
}

function Forbidden({ role }: { readonly role: 'admin' | 'owner' }) {
  const who = role === 'owner' ? 'owners' : 'admins and owners'
  return (
    <Page title="Not for your role">
      <Empty icon={Ban} title={`This page is for ${who}`}>
        {`An owner of the organization can change your role under Settings → People.`}
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

/** Another page begins at its top, and screen readers are told its name. Parameters alone change neither. */
export function useArrival(main: { readonly current: HTMLElement | null }): string {
  const [path] = useLocation()
  const [said, setSaid] = useState('')
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    main.current?.scrollTo(0, 0)
    // A page's title is there with the page.
    const observer = new MutationObserver(() => setSaid(document.title.replace(/ · Atrium$/, '')))
    const title = document.querySelector('title')
    if (title) observer.observe(title, { childList: true })
    return () => observer.disconnect()
  }, [path, main])
  return said
}

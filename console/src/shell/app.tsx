/** The console: public pages without a session, the shell with one. */
import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type AroundNavHandler, Router, useLocation, useSearch } from 'wouter'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { describeError } from '../data/errors.ts'
import { withOrganization } from '../data/link-organization.ts'
import { currentMode, modeOf, useMode, withMode } from '../data/mode.ts'
import { openSession } from '../data/offline.ts'
import { queryClient } from '../data/query-client.ts'
import { useSessionEnded, useSessionState } from '../data/session-store.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { setTimeFormat } from '../design/time-format.ts'
import { TooltipProvider } from '../design/tooltip.tsx'
import { followLanguage, t } from '../language/index.ts'
import { isPublic, PublicPages, SecondFactor } from './public-pages.tsx'
import { Shell } from './shell.tsx'
import { StepUpHost } from './step-up-host.tsx'
import { Toaster } from './toaster.tsx'

/** Links and navigation keep the mode and the organization. */
const keepParams: AroundNavHandler = (navigate, to, options) =>
  navigate(withOrganization(withMode(to, currentMode())), options)
const live = (href: string) => withOrganization(href)
const test = (href: string) => withOrganization(withMode(href, 'test'))

export function App() {
  const hrefs = modeOf(useSearch()) === 'test' ? test : live
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <Router hrefs={hrefs} aroundNav={keepParams}>
          <TooltipProvider>
            <Gate />
            <StepUpHost />
            <Toaster />
          </TooltipProvider>
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  )
}

function Gate() {
  const session = useSessionState()
  const [path] = useLocation()
  if (session === undefined) return <Starting />
  // Pages that need no session stay open; the one of applications that ask for access is not among them.
  if (session.signed_in && session.second_factor.need !== null && !isPublic(path, false)) {
    followLanguage(session.preferences.language)
    return <SecondFactor key={`${session.account.id} ${session.organization.id}`} session={session} />
  }
  if (isPublic(path, session.signed_in)) return <PublicPages session={session} />
  if (!session.signed_in) return <ToSignIn />
  const { time_zone: timeZone, language, week_starts_on: weekStartsOn } = session.preferences
  followLanguage(language)
  setTimeFormat({ timeZone, language, weekStartsOn })
  return <Shell key={`${session.account.id} ${session.organization.id}`} />
}

/** Shown until the session is loaded, or with the error if that fails. */
function Starting() {
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let isMounted = true
    openSession().catch((reason: unknown) => isMounted && setError(reason))
    return () => {
      isMounted = false
    }
  }, [])
  if (error === null) return <div className="starting" aria-busy="true" />
  const { title, text } = describeError(error)
  const retry = () => {
    setError(null)
    openSession().catch(setError)
  }
  return (
    <main className="starting">
      <Empty title={title} actions={<Button onClick={retry}>{t('Try again')}</Button>} plain>
        {text}
      </Empty>
    </main>
  )
}

function ToSignIn() {
  const [path, navigate] = useLocation()
  const search = useSearch()
  const mode = useMode()
  const ended = useSessionEnded()
  useEffect(() => {
    const params = new URLSearchParams()
    // As it was sent: the router decodes it, and an application's request must stay as it is.
    const next = withMode(search === '' ? path : `${path}${location.search}`, mode)
    if (next !== '/') params.set('next', next)
    if (ended) params.set('ended', '1')
    const text = params.toString()
    navigate(text === '' ? '/sign-in' : `/sign-in?${text}`, { replace: true })
  }, [path, search, mode, ended, navigate])
  return null
}

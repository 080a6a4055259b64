/** The page to which an OpenID provider sends the browser back. Its code works once and leaves the address bar at once. */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { nextAfterFailure, reportOutcome } from '../../app/openid.ts'
import { PublicFrame } from '../../app/public-frame.tsx'
import { app } from '../../data/app-api.ts'
import { describeError } from '../../data/errors.ts'
import type { OpenIdReturn, Session } from '../../data/shapes.ts'
import { ButtonLink, Notice, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface ReturnPageProps {
  readonly provider: string
  readonly session: Session
}

/** Kept outside the component: a page that is mounted again must not send the code again. A provider always loads a new page. */
let returning: Promise<OpenIdReturn> | null = null

function takeReturn(provider: string): Promise<OpenIdReturn> {
  if (returning === null) {
    const query = location.search.slice(1)
    history.replaceState(history.state, '', location.pathname)
    returning = app('POST session/openid/return', { body: { provider, query } })
  }
  return returning
}

export function ReturnPage({ provider, session }: ReturnPageProps) {
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>(null)
  const [next, setNext] = useState<string | null>(null)
  useEffect(() => {
    let isMounted = true
    takeReturn(provider).then(
      (returned) => {
        if (!isMounted) return
        if (returned.confirmed) {
          setNext(returned.next)
          reportOutcome(null)
          // Only a window that a script has opened closes.
          window.close()
        } else navigate(returned.next, { replace: true })
      },
      (reason: unknown) => {
        if (!isMounted) return
        setError(reason)
        reportOutcome(describeError(reason).text)
      },
    )
    return () => {
      isMounted = false
    }
  }, [provider, navigate])
  if (error !== null) return <ReturnFailure error={error} session={session} />
  if (next !== null) {
    return (
      <PublicFrame title={t('Confirmed')} description={t('You can close this window and go on where you were.')}>
        <ButtonLink to={next} kind="primary">
          {t('Continue here')}
        </ButtonLink>
      </PublicFrame>
    )
  }
  return (
    <PublicFrame title={t('Signing in')}>
      <SkeletonLines lines={4} />
    </PublicFrame>
  )
}

function ReturnFailure({ error, session }: { readonly error: unknown; readonly session: Session }) {
  return (
    <PublicFrame title={t('Sign-in did not succeed')}>
      <Notice tone="bad">{describeError(error).text}</Notice>
      <ButtonLink
        to={session.signed_in ? '/' : `/sign-in?next=${encodeURIComponent(nextAfterFailure())}`}
        kind="primary"
      >
        {session.signed_in ? t('Home') : t('Back to sign-in')}
      </ButtonLink>
    </PublicFrame>
  )
}

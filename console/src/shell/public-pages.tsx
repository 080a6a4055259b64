/** The pages outside the shell. Most of them need no session. */
import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import type { Session, SignedIn } from '../data/shapes.ts'

const SignInPage = lazy(async () => ({ default: (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage }))
const ReturnPage = lazy(async () => ({ default: (await import('../pages/sign-in/return-page.tsx')).ReturnPage }))
const LinkPage = lazy(async () => ({ default: (await import('../pages/sign-in/link-page.tsx')).LinkPage }))

const ForgotPage = lazy(async () => ({ default: (await import('../pages/sign-in/forgot-page.tsx')).ForgotPage }))
const ResetPage = lazy(async () => ({ default: (await import('../pages/sign-in/reset-page.tsx')).ResetPage }))
const ConfirmAddressPage = lazy(async () => ({
  default: (await import('../pages/sign-in/confirm-address-page.tsx')).ConfirmAddressPage,
}))

const AuthorizePage = lazy(async () => ({
  default: (await import('../pages/sign-in/authorize-page.tsx')).AuthorizePage,
}))

const SecondFactorPage = lazy(async () => ({
  default: (await import('../pages/sign-in/second-factor-page.tsx')).SecondFactorPage,
}))

const GuestPage = lazy(async () => ({ default: (await import('../pages/boards/guest/guest-page.tsx')).GuestPage }))

const paths = ['/b', '/sign-in', '/set-up', '/invite', '/forgot-password', '/reset-password', '/confirm-address']

/** The page on which an application asks for access has the frame of these pages, and needs a session. */
const authorize_path = '/oauth/authorize'

export function isPublic(path: string, isSignedIn: boolean): boolean {
  if (path === authorize_path) return isSignedIn
  return paths.includes(path) || path.startsWith('/sign-in/return/')
}

/** The only page of a session that still has to prove a second factor, or to set one up. */
export function SecondFactor({ session }: { readonly session: SignedIn }) {
  return (
    <Suspense fallback={<div className="starting" aria-busy="true" />}>
      <SecondFactorPage session={session} />
    </Suspense>
  )
}

export function PublicPages({ session }: { readonly session: Session }) {
  return (
    <Suspense fallback={<div className="starting" aria-busy="true" />}>
      <Switch>
        <Route path="/b">
          <GuestPage />
        </Route>
        <Route path={authorize_path}>{session.signed_in && <AuthorizePage session={session} />}</Route>
        <Route path="/sign-in">
          <SignInPage session={session} />
        </Route>
        <Route path="/sign-in/return/:provider">
          {({ provider }) => <ReturnPage provider={provider} session={session} />}
        </Route>
        <Route path="/forgot-password">
          <ForgotPage session={session} />
        </Route>
        <Route path="/reset-password">
          <ResetPage />
        </Route>
        <Route path="/confirm-address">
          <ConfirmAddressPage session={session} />
        </Route>
        <Route>
          <LinkPage session={session} />
        </Route>
      </Switch>
    </Suspense>
  )
}

/** The pages that need no session. */
import { lazy, Suspense } from 'react'
import { Route, Switch } from 'wouter'
import type { Session } from '../data/shapes.ts'

const SignInPage = lazy(async () => ({ default: (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage }))
const LinkPage = lazy(async () => ({ default: (await import('../pages/sign-in/link-page.tsx')).LinkPage }))

const paths = ['/sign-in', '/set-up', '/invite']

export function isPublic(path: string): boolean {
  return paths.includes(path)
}

export function PublicPages({ session }: { readonly session: Session }) {
  return (
    <Suspense fallback={<div className="starting" aria-busy="true" />}>
      <Switch>
        <Route path="/sign-in">
          <SignInPage session={session} />
        </Route>
        <Route>
          <LinkPage session={session} />
        </Route>
      </Switch>
    </Suspense>
  )
}

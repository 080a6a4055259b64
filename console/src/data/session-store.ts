/**
 * Who is signed in, as the server said last. Everything else is told when it changes: tokens and what was read belong to
 * one session and one organization. Tabs tell each other, so that signing out in one is signing out in all.
 */
import { useSyncExternalStore } from 'react'
import type { Session, SignedIn } from './shapes.ts'

let session: Session | undefined
/** The session ended while the page was open, and not because the person signed out here. */
let ended = false
let leaving = false
const listeners = new Set<() => void>()
const changes = new Set<() => void>()
/** Between the tabs of a browser. */
export const sessionChannel = new BroadcastChannel('atrium-session')

/** An answer of the server that says who is signed in. */
export function takeSession(next: Session): void {
  const before = identityOf(session)
  if (session?.signed_in && !next.signed_in) ended = !leaving
  if (next.signed_in) ended = false
  leaving = false
  session = next
  if (before !== identityOf(next)) {
    for (const change of changes) change()
    if (before !== undefined) sessionChannel.postMessage('changed')
  }
  tell()
}

/** What tokens and read objects belong to. */
function identityOf(of: Session | undefined): string | undefined {
  return of === undefined ? undefined : of.signed_in ? `${of.account.id} ${of.organization.id}` : ''
}

/** The person signs out: that the session is over then is no news. */
export function leaveSession(): void {
  leaving = true
}

export function sessionIsOver(): void {
  if (!session?.signed_in) return
  const { csrf, public_url, secure, passkeys_unavailable, versions } = session
  takeSession({ signed_in: false, csrf, public_url, secure, passkeys_unavailable, versions })
}

export function currentSession(): Session | undefined {
  return session
}

export function csrf(): string {
  return session?.csrf ?? ''
}

/** Is called when another person or organization is signed in, or nobody. */
export function onSessionChange(change: () => void): () => void {
  changes.add(change)
  return () => changes.delete(change)
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useSessionState(): Session | undefined {
  return useSyncExternalStore(subscribe, () => session)
}

export function useSessionEnded(): boolean {
  return useSyncExternalStore(subscribe, () => ended)
}

/** The session of a page that needs one. */
export function useSession(): SignedIn {
  const state = useSessionState()
  if (!state?.signed_in) throw new Error('This component is only for people who are signed in.')
  return state
}

/** Whether the person may do what takes this role. */
export function useMay(role: 'admin' | 'owner'): boolean {
  const { role: own } = useSession()
  return own === 'owner' || own === role
}

/**
 * The session, as the server last returned it. Tokens and the cache belong to one account and organization, and are
 * dropped when that changes. Tabs notify each other, so signing out in one signs out in all.
 */
import { createStore, useStore } from '../lib/store.ts'
import type { Role, Session, SignedIn } from './shapes.ts'

const session = createStore<Session | undefined>(undefined)
/** The session ended while the page was open, and not by signing out here. */
const ended = createStore(false)
/** The page has asked to end its session. The stream stops first, because the server ends it before it answers. */
const leaving = createStore(false)
const changeHandlers = new Set<() => void>()
/** Connects the tabs of a browser. */
export const sessionChannel = new BroadcastChannel('atrium-session')

/** Stores a session that the server returned. */
export function setSession(next: Session): void {
  const current = session.get()
  const identity = identityOf(current)
  if (next.signed_in) ended.set(false)
  else if (current?.signed_in) ended.set(!leaving.get())
  if (identity !== identityOf(next)) {
    for (const handler of changeHandlers) handler()
    if (identity !== undefined) sessionChannel.postMessage('changed')
  }
  session.set(next)
  leaving.set(false)
}

/** The account and organization that tokens and cached data belong to. */
function identityOf(of: Session | undefined): string | undefined {
  return of === undefined ? undefined : of.signed_in ? `${of.account.id} ${of.organization.id}` : ''
}

/** Whose browser storage this is: the account in the organization; empty without a session. */
export function sessionOwner(): string {
  return identityOf(session.get()) ?? ''
}

/**
 * Call before signing out or switching the organization, so that the end of the session is not reported as unexpected,
 * and with `false` if that failed.
 */
export function expectSessionEnd(expected: boolean): void {
  leaving.set(expected)
}

/** Waits while the page changes its session. Resolves with whether account and organization are still the same. */
export async function isSameAfterChange(): Promise<boolean> {
  if (!leaving.get()) return true
  const identity = identityOf(session.get())
  await new Promise<void>((resolve) => {
    const stop = leaving.subscribe(() => {
      if (leaving.get()) return
      stop()
      resolve()
    })
  })
  return identityOf(session.get()) === identity
}

export function useLeaving(): boolean {
  return useStore(leaving)
}

/** Call when the server reports that there is no session. */
export function endSession(): void {
  const current = session.get()
  if (!current?.signed_in) return
  const { csrf, public_url, secure, passkeys_unavailable, versions, mail } = current
  // The next load of the session names the providers to sign in by.
  setSession({ signed_in: false, csrf, public_url, secure, passkeys_unavailable, versions, mail, providers: [] })
}

export function currentSession(): Session | undefined {
  return session.get()
}

export function csrf(): string {
  return session.get()?.csrf ?? ''
}

/** Calls `handler` when the account or organization changes. */
export function onSessionChange(handler: () => void): () => void {
  changeHandlers.add(handler)
  return () => changeHandlers.delete(handler)
}

export function useSessionState(): Session | undefined {
  return useStore(session)
}

export function useSessionEnded(): boolean {
  return useStore(ended)
}

/** The session, in components that are rendered only when signed in. */
export function useSession(): SignedIn {
  const state = useSessionState()
  if (!state?.signed_in) throw new Error('useSession requires a signed-in session')
  return state
}

const ranks = { guest: 0, member: 1, admin: 2, owner: 3 } as const

/** Whether a role is at least another one. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least]
}

/** Whether the user has at least this role, or is an operator. `member`: is not a guest. */
export function useHasRole(role: 'member' | 'admin' | 'owner' | 'operator'): boolean {
  const { role: own, operator } = useSession()
  return role === 'operator' ? operator && own !== 'guest' : isAtLeast(own, role)
}

/** Whether the user is a guest, outside of components. */
export function isGuest(): boolean {
  const state = currentSession()
  return state?.signed_in === true && state.role === 'guest'
}

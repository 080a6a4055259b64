/**
 * Notices of this browser: whether it offers them, its subscription at the push service of its maker, and what a click on a notice
 * opens. Nothing here asks for permission except `subscribe`, which a click calls.
 */
import { app } from './app-api.ts'
import { hasErrorCode } from './errors.ts'
import { organizationOf } from './link-organization.ts'
import { registerServiceWorker } from './service-worker.ts'
import { currentSession } from './session-store.ts'
import type { PushSubscriptionEntry } from './shapes.ts'

/** The account and the subscription that a click in this browser has asked for, and the session that it belongs to. */
const kept = 'atrium-push'

export const offersPush = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** The id under which the server lists this browser; null if it has no subscription. */
export async function ownSubscriptionId(): Promise<string | null> {
  const subscription = await ownSubscription()
  return subscription === null ? null : await idOf(subscription)
}

async function ownSubscription(): Promise<PushSubscription | null> {
  if (!offersPush) return null
  const registration = await navigator.serviceWorker.getRegistration()
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** As the server derives it. */
async function idOf({ endpoint }: PushSubscription): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
  return `psb_${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Asks for permission, subscribes to the key of the installation, and tells the server. Null if the person did not allow it. */
export async function subscribe(publicKey: string): Promise<PushSubscriptionEntry | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const registration = await registerServiceWorker()
  const applicationServerKey = Uint8Array.from(
    atob(publicKey.replaceAll('-', '+').replaceAll('_', '/')),
    (char) => char.codePointAt(0) ?? 0,
  )
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  return await store(subscription)
}

async function store(subscription: PushSubscription): Promise<PushSubscriptionEntry> {
  const { keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  const entry = await app('POST push-subscriptions', { body: { endpoint: subscription.endpoint, p256dh, auth } })
  remember(entry.id)
  return entry
}

function remember(id: string): void {
  const session = signedIn()
  localStorage.setItem(kept, `${session?.account.id} ${id} ${session?.session.id}`)
}

function signedIn() {
  const session = currentSession()
  return session?.signed_in ? session : null
}

/** Tells the server that the person has signed in here again. Ends the subscription if the person has removed the browser meanwhile. */
async function keepFor(id: string): Promise<void> {
  try {
    await app('POST push-subscriptions/{id}/keep', { params: { id } })
    remember(id)
  } catch (error) {
    if (!hasErrorCode(error, 'resource_not_found')) throw error
    await unsubscribeHere()
  }
}

/** Ends the subscription of this browser, for every account. */
export async function unsubscribeHere(): Promise<void> {
  localStorage.removeItem(kept)
  await (await ownSubscription())?.unsubscribe()
}

/**
 * Opens what a person clicks on, and keeps the subscription right: it ends if another person uses the browser now, and the server
 * hears of a new address that the push service has given it, and of a new session.
 */
export async function followNotices(): Promise<void> {
  if (!offersPush) return
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (typeof data?.open === 'string') open(data.open)
  })
  const subscription = await ownSubscription()
  const current = signedIn()
  if (subscription === null || current === null) return
  const [owner, id, session] = (localStorage.getItem(kept) ?? '').split(' ')
  if (owner !== current.account.id) await unsubscribeHere()
  else if (id !== (await idOf(subscription))) await store(subscription)
  else if (session !== current.session.id) await keepFor(id)
}

/** Within the loaded page, so that a text that is being written stays; another organization needs a new page. */
function open(path: string): void {
  const session = currentSession()
  const isHere = session?.signed_in && organizationOf(new URL(path, location.origin).search) === session.organization.id
  if (isHere) history.pushState(null, '', path)
  else location.assign(path)
}

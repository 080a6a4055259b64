/** Sign-in and confirmation at an OpenID provider. */
import { app, loadSession } from '../data/app-api.ts'
import { UserCanceled } from '../data/errors.ts'
import { t } from '../language/index.ts'

/** Leaves for the provider's page, which leads back to `next`. Rejects if the person comes back by the browser's button. */
export async function signInByProvider(provider: string, next: string): Promise<never> {
  const { url } = await app('POST session/openid', { body: { provider, next } })
  sessionStorage.setItem(next_key, next)
  location.assign(url)
  return await new Promise<never>((_, reject) => {
    const isBack = () => reject(new UserCanceled(t('The sign-in was left.')))
    window.addEventListener('pageshow', isBack, { once: true })
  })
}

const channel_name = 'atrium-confirmed'
const look_ms = 500
/** A provider that isolates its pages makes the window look closed, so a closed one ends the wait after this time only. */
const closed_ms = 120_000
/** How long the server keeps the confirmation open. */
const wait_ms = 600_000

/** What the page of the window says; `null` is success. */
type Outcome = string | null

/**
 * Confirms the account's identity at the provider, in a window of its own, so that what was entered on this page stays. Call it
 * in the handler of a click: browsers block other windows.
 */
export async function confirmByProvider(provider: string): Promise<void> {
  const opened = window.open('about:blank', '_blank', 'popup,width=520,height=680')
  try {
    const next = location.pathname + location.search
    const { url } = await app('POST step-up/openid', { body: { provider, next } }, { stepUp: false })
    // Without a window of its own this page leaves; the confirmation holds when it is back.
    if (opened === null) location.assign(url)
    else opened.location.replace(url)
  } catch (error) {
    opened?.close()
    throw error
  }
  const failure = await outcomeOf(opened)
  if (failure !== null) throw new Error(failure)
  await loadSession()
}

function outcomeOf(opened: Window | null): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(channel_name)
    const began = performance.now()
    let closed_since: number | null = null
    const timer = setInterval(() => {
      const now = performance.now()
      closed_since = opened?.closed === true ? (closed_since ?? now) : null
      if (now - (closed_since ?? now) < closed_ms && now - began < wait_ms) return
      end()
      reject(new UserCanceled(t('The confirmation was left.')))
    }, look_ms)
    const end = () => {
      clearInterval(timer)
      channel.close()
    }
    channel.addEventListener('message', ({ data }: MessageEvent<Outcome>) => {
      end()
      resolve(data)
    })
  })
}

/** Tells a page that waits for a confirmation how it ended. */
export function reportOutcome(outcome: Outcome): void {
  const channel = new BroadcastChannel(channel_name)
  channel.postMessage(outcome)
  channel.close()
}

const next_key = 'atrium-openid-next'

/** The page that was asked for before a sign-in that failed. */
export function nextAfterFailure(): string {
  return sessionStorage.getItem(next_key) ?? '/'
}

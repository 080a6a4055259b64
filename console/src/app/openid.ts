/** Sign-in and confirmation at an OpenID provider. */
import { app } from '../data/app-api.ts'
import { UserCanceled } from '../data/errors.ts'

/** Leaves for the provider's page, which leads back to `next`. Rejects if the person comes back by the browser's button. */
export async function signInByProvider(provider: string, next: string): Promise<never> {
  const { url } = await app('POST session/openid', { body: { provider, next } })
  location.assign(url)
  return await new Promise<never>((_, reject) => {
    const isBack = () => reject(new UserCanceled('The sign-in was left.'))
    window.addEventListener('pageshow', isBack, { once: true })
  })
}

const channel_name = 'atrium-confirmed'
const look_ms = 500

/**
 * Confirms the account's identity at the provider, in a window of its own, so that what was entered on this page stays. Call it
 * in the handler of a click: browsers block other windows.
 */
export async function confirmByProvider(provider: string): Promise<void> {
  const opened = window.open('about:blank', '_blank', 'popup,width=520,height=680')
  try {
    const next = location.pathname + location.search
    const { url } = await app('POST step-up/openid', { body: { provider, next } }, { stepUp: false })
    // Without a window of its own the page leaves; the confirmation then holds when it is back.
    if (opened === null) location.assign(url)
    else opened.location.replace(url)
  } catch (error) {
    opened?.close()
    throw error
  }
  await new Promise<void>((resolve, reject) => {
    const channel = new BroadcastChannel(channel_name)
    // A provider that isolates its pages makes the window look closed, so a closed one only ends the wait after some time.
    let closed = 0
    const timer = setInterval(() => {
      closed = opened?.closed === true ? closed + 1 : 0
      if (closed * look_ms < 120_000) return
      end()
      reject(new UserCanceled('The window of the provider was closed.'))
    }, look_ms)
    const end = () => {
      clearInterval(timer)
      channel.close()
    }
    channel.addEventListener('message', () => {
      end()
      resolve()
    })
  })
  await app('GET session', {})
}

/** Tells the page that waits for a confirmation that it is there, and closes this window if that page opened it. */
export function reportConfirmed(): void {
  const channel = new BroadcastChannel(channel_name)
  channel.postMessage('confirmed')
  channel.close()
  window.close()
}

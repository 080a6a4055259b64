/** Passkeys in the browser. The WebAuthn package is loaded at the first use. */
import { app } from '../data/app-api.ts'
import { UserCanceled } from '../data/errors.ts'
import type { Passkey, PasskeyResponse, SignedIn } from '../data/shapes.ts'
import { t } from '../language/index.ts'

/** Whether the browser supports passkeys. */
export const hasPasskeys = typeof PublicKeyCredential === 'function'

async function requestPasskey(options: unknown, register: boolean): Promise<PasskeyResponse> {
  const { startAuthentication, startRegistration } = await import('@simplewebauthn/browser')
  try {
    // The server makes the options with the library's counterpart; `/app/api` types them as plain JSON.
    const optionsJSON = options as never
    const response = register ? await startRegistration({ optionsJSON }) : await startAuthentication({ optionsJSON })
    return { ...response }
  } catch (error) {
    // The user closed the browser's dialog, or it timed out.
    if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')) {
      throw new UserCanceled(t('No passkey was selected.'))
    }
    throw error
  }
}

export async function signInWithPasskey(): Promise<SignedIn> {
  const options = await app('POST session/passkey/options', { body: {} })
  return await app('POST session/passkey', { body: { response: await requestPasskey(options, false) } })
}

export async function stepUpWithPasskey(): Promise<SignedIn> {
  const options = await app('POST step-up/passkey/options', { body: {} })
  return await app('POST step-up/passkey', { body: { response: await requestPasskey(options, false) } })
}

export async function addPasskey(name: string): Promise<Passkey> {
  const options = await app('POST passkeys/options', { body: {} })
  return await app('POST passkeys', { body: { name, response: await requestPasskey(options, true) } })
}

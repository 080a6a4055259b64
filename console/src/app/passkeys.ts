/** Passkeys in the browser. The package for them is loaded when one is used. */
import { app } from '../data/app-api.ts'
import { Declined } from '../data/errors.ts'
import type { Passkey, PasskeyResponse, SignedIn } from '../data/shapes.ts'

/** Whether this browser knows passkeys at all. */
export const hasPasskeys = typeof PublicKeyCredential === 'function'

async function answered(options: unknown, register: boolean): Promise<PasskeyResponse> {
  const { startAuthentication, startRegistration } = await import('@simplewebauthn/browser')
  try {
    const optionsJSON = options as never
    const response = register ? await startRegistration({ optionsJSON }) : await startAuthentication({ optionsJSON })
    return response as unknown as PasskeyResponse
  } catch (error) {
    // The person closed the browser's dialog, or let it time out.
    if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')) {
      throw new Declined('No passkey was chosen.')
    }
    throw error
  }
}

export async function signInWithPasskey(): Promise<SignedIn> {
  const options = await app('POST session/passkey/options', { body: {} })
  return await app('POST session/passkey', { body: { response: await answered(options, false) } })
}

export async function stepUpWithPasskey(): Promise<SignedIn> {
  const options = await app('POST step-up/passkey/options', { body: {} })
  return await app('POST step-up/passkey', { body: { response: await answered(options, false) } })
}

export async function addPasskey(name: string): Promise<Passkey> {
  const options = await app('POST passkeys/options', { body: {} })
  return await app('POST passkeys', { body: { name, response: await answered(options, true) } })
}

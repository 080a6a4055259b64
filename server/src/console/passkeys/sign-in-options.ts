import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { passkeyRequestOptions } from './verify.ts'

/** The WebAuthn request options for any passkey of this site. */
export const signInWithPasskeyOptions = endpoint('POST session/passkey/options', {
  needs: 'nothing',
  body: body({}),
  handle: (context) => passkeyRequestOptions(context, { purpose: 'sign_in', account: '' }),
})

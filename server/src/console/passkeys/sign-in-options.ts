import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { askForPasskey } from './verify.ts'

/** What the browser asks for any passkey of this site with. */
export const signInWithPasskeyOptions = endpoint('POST session/passkey/options', {
  needs: 'nothing',
  body: body({}),
  handle: (context) => askForPasskey(context, { purpose: 'sign_in', account: '' }),
})

import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { listPasskeysOfAccount } from './queries.ts'
import { passkeyRequestOptions } from './verify.ts'

/** The WebAuthn request options for the account's own passkeys. */
export const stepUpWithPasskeyOptions = endpoint('POST step-up/passkey/options', {
  needs: 'session',
  guests: true,
  before_second_factor: ['verify'],
  body: body({}),
  async handle(context) {
    const { account } = context.session
    const known = await context.services.store.reader('system').all(listPasskeysOfAccount, { account })
    return await passkeyRequestOptions(context, { purpose: 'step_up', account }, known)
  },
})

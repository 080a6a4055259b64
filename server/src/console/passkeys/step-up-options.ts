import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { listPasskeysOf } from './queries.ts'
import { askForPasskey } from './verify.ts'

/** What the browser asks for one of the account's own passkeys with. */
export const stepUpWithPasskeyOptions = endpoint('POST step-up/passkey/options', {
  needs: 'session',
  body: body({}),
  async handle(context) {
    const { account } = context.session
    const known = await context.services.store.reader('system').all(listPasskeysOf, { account })
    return await askForPasskey(context, { purpose: 'step_up', account }, known)
  },
})

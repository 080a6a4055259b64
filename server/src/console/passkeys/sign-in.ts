import { countAttempt, forgiveAttempt } from '../accounts/throttle.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { addressOf } from '../origins.ts'
import { enter } from '../sessions/enter.ts'
import { Assertion } from './fields.ts'
import { requirePasskey } from './verify.ts'

/** Signs in with a passkey, which tells whose it is, in the organization where the account was last. */
export const signInWithPasskey = endpoint('POST session/passkey', {
  needs: 'nothing',
  body: body({ response: Assertion }),
  async handle(context) {
    const { services, request, body: sent } = context
    const attempt = { address: addressOf(request, services.settings.publicUrl), email: null }
    await countAttempt(services, attempt)
    const { account, also } = await requirePasskey(context, { purpose: 'sign_in', account: '' }, sent.response)
    return await enter(context, {
      account,
      organization: null,
      async also(tx, now) {
        await also(tx, now)
        forgiveAttempt(tx, services.sealer, attempt)
      },
    })
  },
})

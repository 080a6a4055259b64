import { countAttempt, forgiveAttempt } from '../accounts/throttle.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { addressOf } from '../origins.ts'
import { proved_here } from '../sessions/session.ts'
import { startSession } from '../sessions/start.ts'
import { Assertion } from './fields.ts'
import { verifyPasskey } from './verify.ts'

/** Signs in with a passkey, which identifies its account, to the organization used last. */
export const signInWithPasskey = endpoint('POST session/passkey', {
  needs: 'nothing',
  body: body({ response: Assertion }),
  async handle(context) {
    const { services, request, body: sent } = context
    const attempt = { address: addressOf(request, services.settings), email: null }
    await countAttempt(services, attempt)
    const { account, recordProof } = await verifyPasskey(context, { purpose: 'sign_in', account: '' }, sent.response)
    return await startSession(context, {
      account,
      organization: null,
      provedTo: proved_here,
      async recordProof(tx, now) {
        await recordProof(tx, now)
        forgiveAttempt(tx, services.sealer, attempt)
      },
    })
  },
})

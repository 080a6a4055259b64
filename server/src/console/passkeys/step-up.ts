import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { confirmSession } from '../sessions/confirm.ts'
import { proved_here } from '../sessions/session.ts'
import { Assertion } from './fields.ts'
import { verifyPasskey } from './verify.ts'

/** Confirms the user's identity with a passkey of the account; the step-up lasts ten minutes. */
export const stepUpWithPasskey = endpoint('POST step-up/passkey', {
  needs: 'session',
  guests: true,
  before_second_factor: ['verify'],
  body: body({ response: Assertion }),
  async handle(context) {
    const { account } = context.session
    const { recordProof } = await verifyPasskey(context, { purpose: 'step_up', account }, context.body.response)
    return await confirmSession(context, recordProof, proved_here)
  },
})

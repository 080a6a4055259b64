import { verifyOwnPassword } from '../accounts/verify-credentials.ts'
import { endpoint } from '../endpoint.ts'
import { body, PasswordText } from '../fields.ts'
import { confirmSession } from './confirm.ts'

/** Confirms the user's identity with the password; the step-up lasts ten minutes. */
export const stepUp = endpoint('POST step-up', {
  needs: 'session',
  guests: true,
  before_second_factor: ['set_up', 'verify'],
  body: body({ password: PasswordText }),
  async handle(context) {
    const { recordProof } = await verifyOwnPassword(context, context.body.password, 'password')
    return await confirmSession(context, recordProof)
  },
})

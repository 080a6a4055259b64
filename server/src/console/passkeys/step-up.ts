import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { confirm } from '../sessions/confirm.ts'
import { Assertion } from './fields.ts'
import { requirePasskey } from './verify.ts'

/** Confirms with a passkey of the account: what needs that may be done for ten minutes. */
export const stepUpWithPasskey = endpoint('POST step-up/passkey', {
  needs: 'session',
  body: body({ response: Assertion }),
  async handle(context) {
    const { account } = context.session
    const { also } = await requirePasskey(context, { purpose: 'step_up', account }, context.body.response)
    return await confirm(context, also)
  },
})

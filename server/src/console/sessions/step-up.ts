import { requireAccount } from '../accounts/prove.ts'
import { endpoint } from '../endpoint.ts'
import { body, PasswordText } from '../fields.ts'
import { confirm } from './confirm.ts'

/** Confirms with the password again: what needs that may be done for ten minutes. */
export const stepUp = endpoint('POST step-up', {
  needs: 'session',
  body: body({ password: PasswordText }),
  async handle(context) {
    const { also } = await requireAccount(context, context.session.email, context.body.password, 'password')
    return await confirm(context, also)
  },
})

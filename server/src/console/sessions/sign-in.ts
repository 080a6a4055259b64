import { requireAccount } from '../accounts/prove.ts'
import { endpoint } from '../endpoint.ts'
import { body, EmailText, PasswordText } from '../fields.ts'
import { enter } from './enter.ts'

/** Signs in with a password, in the organization where the account was last. A wrong address and a wrong password look the same. */
export const signIn = endpoint('POST session', {
  needs: 'nothing',
  body: body({ email: EmailText, password: PasswordText }),
  async handle(context) {
    const { email, password } = context.body
    const { account, also } = await requireAccount(context, email, password)
    return await enter(context, { account: account.id, organization: null, also })
  },
})

import { verifyCredentials } from '../accounts/verify-credentials.ts'
import { endpoint } from '../endpoint.ts'
import { body, EmailText, PasswordText } from '../fields.ts'
import { startSession } from './start.ts'

/** Signs in with a password, to the organization used last. An unknown address and a wrong password give the same error. */
export const signIn = endpoint('POST session', {
  needs: 'nothing',
  body: body({ email: EmailText, password: PasswordText }),
  async handle(context) {
    const { email, password } = context.body
    const { account, recordProof } = await verifyCredentials(context, email, password)
    return await startSession(context, { account: account.id, organization: null, recordProof })
  },
})

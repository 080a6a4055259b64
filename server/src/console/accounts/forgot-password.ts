import { readUserAgent } from '../../api/request-log/log-request.ts'
import { storeResetRequest } from '../../resources/notifications/shared/password-resets.ts'
import { requireMailer } from '../addresses/mail.ts'
import { endpoint } from '../endpoint.ts'
import { body, EmailText } from '../fields.ts'
import { addressOf } from '../origins.ts'
import { countMailedLink } from './throttle.ts'

/**
 * Asks for a link to a new password. Stores the request and looks for no account, so the answer and its time are the same for
 * every address; a worker sends the mail.
 */
export const forgotPassword = endpoint('POST password/forgot', {
  needs: 'nothing',
  body: body({ email: EmailText }),
  async handle({ services, request, now, body: sent }) {
    requireMailer(services)
    const email = sent.email.trim().toLowerCase()
    const ip = addressOf(request, services.settings)
    await services.store.write('system', async (tx) => {
      await countMailedLink(tx, services.sealer, { email, source: ip }, now)
      storeResetRequest(tx, services, { email, ip, userAgent: readUserAgent(request) }, now)
    })
    return { requested: true as const }
  },
})

import { seconds } from '../../lib/clock.ts'
import { endpoint } from '../endpoint.ts'
import { findAuthenticator, listRecoveryCodes } from './queries.ts'

/** The account's authenticator app and how many recovery codes are left. */
export const retrieveSecondFactor = endpoint('GET second-factor', {
  needs: 'session',
  guests: true,
  before_second_factor: ['set_up', 'verify'],
  async handle({ services, session: { account } }) {
    const reader = services.store.reader('system')
    const app = await reader.first(findAuthenticator, { account })
    const codes = await reader.all(listRecoveryCodes, { account })
    return {
      authenticator: app === undefined ? null : { created: seconds(app.created) },
      recovery_codes_left: codes.length,
    }
  },
})

import { seconds } from '../../lib/clock.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import { requireLink } from '../links/link.ts'

/** Retrieves whose password a link sets, without using it. */
export const retrieveReset = endpoint('POST password/reset/link', {
  needs: 'nothing',
  body: body({ token: LinkToken }),
  async handle({ services, body: { token }, now }) {
    const { email, expires_at } = await requireLink(services, token, now, (kind) => kind === 'password')
    return { email, expires_at: seconds(expires_at) }
  },
})

import { seconds } from '../../lib/clock.ts'
import { findOrganization } from '../../resources/organizations/organization.ts'
import { findByEmail } from '../accounts/queries.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import type { Role } from '../shapes.ts'
import { type LinkKind, requireLink } from './link.ts'

/** Says what a link is for, without using it up. */
export const lookAtLink = endpoint('POST set-up/link', {
  needs: 'nothing',
  body: body({ token: LinkToken }),
  async handle({ services, body: { token }, now }) {
    const link = await requireLink(services, token, now)
    const reader = services.store.reader('system')
    const { organization: id, email } = link
    const organization = await reader.first(findOrganization, { organization: id })
    const account = await reader.first(findByEmail, { email })
    const kind = link.kind as LinkKind
    return {
      kind,
      email,
      organization: { id, name: organization?.name ?? '' },
      role: link.role as Role,
      expires_at: seconds(link.expires_at),
      has_account: account !== undefined && kind !== 'reset',
    }
  },
})

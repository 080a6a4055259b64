import { seconds } from '../../lib/clock.ts'
import { findOrganization } from '../../resources/organizations/organization.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import type { Role } from '../shapes.ts'
import { type LinkKind, requireValidLink } from './link.ts'

/** Retrieves what a link is for, without using it. The answer does not depend on the accounts of the address. */
export const retrieveLink = endpoint('POST set-up/link', {
  needs: 'nothing',
  body: body({ token: LinkToken }),
  async handle({ services, body: { token }, now }) {
    const link = await requireValidLink(services, token, now)
    const reader = services.store.reader('system')
    const { organization: id, email } = link
    const organization = await reader.first(findOrganization, { organization: id })
    return {
      kind: link.kind as LinkKind,
      email,
      organization: { id, name: organization?.name ?? '' },
      role: link.role as Role,
      expires_at: seconds(link.expires_at),
    }
  },
})

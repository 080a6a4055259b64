import { Organization } from '../../resources/organizations/organization.ts'
import { setOrganization } from '../../resources/organizations/write.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { showSignedIn } from '../sessions/show.ts'

/** Renames the organization. */
export const renameOrganization = endpoint('PATCH organization', {
  needs: 'session',
  role: 'owner',
  body: body({ name: Organization.properties.name }),
  async handle(context) {
    const { services, session } = context
    await setOrganization(services, session.organization, { name: context.body.name }, authorOf(context, session.user))
    return await showSignedIn(context, session)
  },
})

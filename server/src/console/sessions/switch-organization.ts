import { Id } from '../../api/shapes.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { enter } from './enter.ts'

/** Goes on in another organization of the account: a session of its own, the present one ends. What was confirmed has to be confirmed there anew. */
export const switchOrganization = endpoint('POST session/organization', {
  needs: 'session',
  body: body({ organization: Id }),
  handle: (context) =>
    enter(context, { account: context.session.account, organization: context.body.organization, confirmed: false }),
})

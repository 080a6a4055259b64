import { Id } from '../../api/declare/shapes.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { idTokenOf } from './id-token.ts'
import { provedElsewhere } from './session.ts'
import { startSession } from './start.ts'

/** Switches to another organization of the account: starts a new session without a step-up and ends the current one. */
export const switchOrganization = endpoint('POST session/organization', {
  needs: 'session',
  guests: true,
  before_second_factor: ['set_up', 'verify'],
  body: body({ organization: Id }),
  handle: async (context) =>
    await startSession(context, {
      account: context.session.account,
      organization: context.body.organization,
      confirmed: false,
      provider: context.session.provider,
      idToken: await idTokenOf(context.services, context.session.id),
      provedTo: provedElsewhere(context.session),
    }),
})

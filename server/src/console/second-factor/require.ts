import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { setOrganization } from '../../resources/organizations/write.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { evictSessions } from '../sessions/lifecycle.ts'
import { showSignedIn } from '../sessions/show.ts'
import { listUnproved } from './queries.ts'

/**
 * Sets whether people need a second factor in the organization. It holds at once, also for sessions and their tokens from before. To
 * turn it on, the person has proved one in this session, so that it is not turned on by a person who cannot come back.
 */
export const requireSecondFactor = endpoint('PATCH organization/second-factor', {
  needs: 'step_up',
  role: 'owner',
  body: body({ required: Type.Boolean() }),
  async handle(context) {
    const { services, session, body: sent } = context
    const { organization } = session
    if (sent.required && session.secondFactor.provedTo === null) {
      throw refuse('resource_conflict', {
        param: 'required',
        message: 'You have not proved a second factor yourself. Set one up in Settings → Security, or sign in with it.',
      })
    }
    const change = { second_factor_required: sent.required }
    await setOrganization(services, organization, change, authorOf(context, session.user))
    if (sent.required) {
      const unproved = await services.store.reader('system').all(listUnproved, { organization })
      evictSessions(
        services,
        unproved.map(({ id }) => id),
      )
    }
    const secondFactor = { ...session.secondFactor, required: sent.required }
    return await showSignedIn(context, { ...session, secondFactor })
  },
})

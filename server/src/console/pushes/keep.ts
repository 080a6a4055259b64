import { refuse } from '../../api/declare/errors.ts'
import { endpoint } from '../endpoint.ts'
import { keepSubscriptions } from './queries.ts'

/**
 * Continues the notices of a browser whose person has signed in there again, in all organizations of the account: they last as long as
 * the new session can. A browser that the person has removed is not found.
 */
export const keepPushSubscription = endpoint('POST push-subscriptions/{id}/keep', {
  needs: 'session',
  guests: true,
  async handle({ services, session, params: { id = '' } }) {
    const kept = { id, account: session.account, session: session.id }
    const count = await services.store.write('system', async (tx) => tx.run(keepSubscriptions, kept))
    if (count === 0) throw refuse('resource_not_found', { param: 'id' })
    return { id, object: 'push_subscription' as const }
  },
})

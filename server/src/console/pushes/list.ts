import { pushKeys } from '../../notifications/push-keys.ts'
import { endpoint } from '../endpoint.ts'
import { listSubscriptions } from './queries.ts'
import { showSubscription } from './subscription.ts'

/** Lists the browsers that show the signed-in user's notices in this organization, with the key to subscribe to. */
export const listPushSubscriptions = endpoint('GET push-subscriptions', {
  needs: 'session',
  guests: true,
  async handle({ services, session: { organization, user } }) {
    const rows = await services.store.reader('system').all(listSubscriptions, { organization, user })
    const { publicKey } = await pushKeys(services)
    return { public_key: publicKey, data: rows.map(showSubscription) }
  },
})

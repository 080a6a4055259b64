import { refuse } from '../../api/declare/errors.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { deleteSubscription } from './queries.ts'

/** Ends the notices of a browser of the signed-in user. */
export const deletePushSubscription = endpoint('DELETE push-subscriptions/{id}', {
  needs: 'session',
  guests: true,
  async handle(context) {
    const { session, params } = context
    const { organization, user } = session
    const { id = '' } = params
    return await commitAsUser(context, { action: 'push_subscriptions.delete' }, async ({ tx, note }) => {
      if ((await tx.run(deleteSubscription, { organization, user, id })) === 0)
        throw refuse('resource_not_found', { param: 'id' })
      note({ target: { object: 'push_subscription', id } })
      return { id, object: 'push_subscription', deleted: true as const }
    })
  },
})

import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { pushTargetContext } from '../../db/secret-key/sealed-values.ts'
import { egress_limits } from '../../egress/limits.ts'
import { isPublicKey } from '../../lib/p256.ts'
import { inbox_limits } from '../../notifications/limits.ts'
import { authorOf, commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { deleteSubscription, listSubscriptions, storeSubscription } from './queries.ts'
import { showSubscription, subscriptionId } from './subscription.ts'

const auth_bytes = 16
const KeyText = Type.String({ minLength: 1, maxLength: console_limits.push_key_chars_max })

/**
 * Shows the signed-in user's notices in a browser that has subscribed at its push service. Of more browsers than a person may have
 * the oldest ends. Subscribing again renews the keys.
 */
export const createPushSubscription = endpoint('POST push-subscriptions', {
  needs: 'session',
  guests: true,
  body: body({
    endpoint: Type.String({ minLength: 1, maxLength: egress_limits.egress_url_chars_max }),
    p256dh: KeyText,
    auth: KeyText,
  }),
  async handle(context) {
    const { services, session, body: sent } = context
    const { organization, user, account } = session
    requireKeys(sent)
    const checked = await services.egress.check(sent.endpoint)
    if (!checked.ok) throw wrong('endpoint', checked.message)
    const id = subscriptionId(sent.endpoint)
    const { p256dh, auth } = sent
    const target = services.sealer.seal(
      JSON.stringify({ endpoint: sent.endpoint, p256dh, auth }),
      pushTargetContext(organization, id),
    )
    const { user_agent } = authorOf(context, user).source
    return await commitAsUser(context, { action: 'push_subscriptions.create' }, async ({ tx, now, note }) => {
      const known = (await tx.all(listSubscriptions, { organization, user })).filter((row) => row.id !== id)
      for (const row of known.slice(inbox_limits.inbox_subscriptions_max - 1))
        tx.write(deleteSubscription, { organization, user, id: row.id })
      const row = { organization, id, user, account, session: session.id, target, user_agent, created: now }
      tx.write(storeSubscription, row)
      note({ target: { object: 'push_subscription', id } })
      return showSubscription(row)
    })
  },
})

function requireKeys({ p256dh, auth }: { readonly p256dh: string; readonly auth: string }): void {
  if (!isPublicKey(p256dh)) throw wrong('p256dh', 'The key must be a public key of P-256, in base64url.')
  if (Buffer.from(auth, 'base64url').length !== auth_bytes)
    throw wrong('auth', `The secret must have ${auth_bytes} bytes, in base64url.`)
}

function wrong(param: string, message: string): Error {
  return refuse('invalid_request_body', { param, message })
}

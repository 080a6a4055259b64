import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { countStart } from '../accounts/throttle.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { addressOf } from '../origins.ts'
import { toRefusal } from './failure.ts'
import { insertFlow, requireProvider } from './flow.ts'
import { providersOfAccount } from './providers.ts'

export const ProviderId = Type.String({ minLength: 1, maxLength: 32 })

/** A path of the console: not `//host` and `/\host`, which lead to another origin, and no white space, which browsers strip. */
const Next = Type.String({
  maxLength: console_limits.openid_next_chars_max,
  pattern: '^/(?![/\\\\])[^\\\\\\s]*$',
})

/** Starts a sign-in at an OpenID provider: sets the cookie of the flow and returns the provider's page. */
export const startOpenId = endpoint('POST session/openid', {
  needs: 'nothing',
  body: body({ provider: ProviderId, next: Next }),
  async handle(context) {
    const { services, request, body: sent, origin, now } = context
    const provider = requireProvider(services, sent.provider)
    await countStart(services, addressOf(request, services.settings))
    const started = await insertFlow(services, request, { provider, session: null, next: sent.next, origin }, now)
    const url = await provider.authorizationUrl(started.flow, false).catch((error) => {
      throw toRefusal(services, provider, error)
    })
    context.setFlowCookie(started.cookie)
    return { url }
  },
})

/**
 * Starts a confirmation at an OpenID provider that the account has signed in by. The person authenticates there again:
 * `prompt=login`, and the time of authentication is checked.
 */
export const startOpenIdStepUp = endpoint('POST step-up/openid', {
  needs: 'session',
  guests: true,
  before_second_factor: ['set_up', 'verify'],
  body: body({ provider: ProviderId, next: Next }),
  async handle(context) {
    const { services, request, session, body: sent, origin, now } = context
    const known = await providersOfAccount(services, session.account)
    const provider = known.find(({ settings }) => settings.id === sent.provider)
    if (provider === undefined) {
      const message = `Your account does not sign in by \`${sent.provider}\`.`
      throw refuse('resource_not_found', { param: 'provider', message })
    }
    await countStart(services, addressOf(request, services.settings))
    const flow = { provider, session: session.id, next: sent.next, origin }
    const started = await insertFlow(services, request, flow, now)
    const url = await provider.authorizationUrl(started.flow, true, session.email).catch((error) => {
      throw toRefusal(services, provider, error)
    })
    context.setFlowCookie(started.cookie)
    return { url }
  },
})

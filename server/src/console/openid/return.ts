import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import type { OpenIdClaims, OpenIdFlow, OpenIdProvider } from '../../egress/openid-provider.ts'
import { systemClock } from '../../lib/clock.ts'
import { countAttempt, forgiveAttempt } from '../accounts/throttle.ts'
import type { RequestContext } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { addressOf } from '../origins.ts'
import { confirmSession } from '../sessions/confirm.ts'
import { startSession } from '../sessions/start.ts'
import { admitPerson } from './admit.ts'
import { toRefusal } from './failure.ts'
import { requireProvider, takeFlow } from './flow.ts'
import { findIdentity, updateIdentityUse } from './queries.ts'
import { ProviderId } from './start.ts'

/**
 * Ends a sign-in or a confirmation at an OpenID provider, with the query with which the browser came back. The flow is used up
 * before the provider is called, and everything about the person is committed after the provider has answered.
 */
export const returnFromOpenId = endpoint('POST session/openid/return', {
  needs: 'nothing',
  body: body({
    provider: ProviderId,
    query: Type.String({ maxLength: console_limits.openid_query_chars_max }),
  }),
  async handle(context) {
    const { services, request, session, body: sent, origin, now } = context
    const provider = requireProvider(services, sent.provider)
    const attempt = { address: addressOf(request, services.settings), email: null }
    await countAttempt(services, attempt)
    const { row, flow } = await takeFlow(services, request, provider, { state: stateIn(sent.query), origin, now })
    const { organization, issuer, id } = provider.settings
    const claims = await redeem(context, provider, flow, { query: sent.query, fresh: row.session !== null })
    const subject = { organization, issuer, subject: claims.subject }
    if (row.session !== null) {
      if (session === null || session.id !== row.session) throw refuse('openid_expired')
      const identity = await services.store.reader('system').first(findIdentity, subject)
      if (identity?.account !== session.account) throw refuse('openid_member_refused', { message: other_person })
      // What a provider of another organization says of second factors does not count in this one.
      const vouched = claims.secondFactor && organization === session.organization ? id : null
      requireFresh(claims, services.clock.now() - row.created)
      const confirmed = await confirmSession(
        { ...context, session },
        (tx, at) => {
          forgiveAttempt(tx, services.sealer, attempt)
          tx.write(updateIdentityUse, { ...subject, now: at })
        },
        vouched,
      )
      return { ...confirmed, next: row.next, confirmed: true }
    }
    const account = await admitPerson(context, provider.settings, claims)
    const signedIn = await startSession(context, {
      account,
      organization,
      provider: id,
      idToken: claims.idToken,
      provedTo: claims.secondFactor ? id : null,
      recordProof(tx, at) {
        forgiveAttempt(tx, services.sealer, attempt)
        tx.write(updateIdentityUse, { ...subject, now: at })
      },
    })
    return { ...signedIn, next: row.next, confirmed: false }
  },
})

const other_person = 'You authenticated at the provider as another person. Use the account that you are signed in with.'

/** The state in a query; several count as a missing one. */
function stateIn(query: string): string {
  const [state = '', ...more] = new URLSearchParams(query).getAll('state')
  return more.length === 0 ? state : ''
}

async function redeem(
  { services }: RequestContext,
  provider: OpenIdProvider,
  flow: OpenIdFlow,
  { query, fresh }: { readonly query: string; readonly fresh: boolean },
): Promise<OpenIdClaims> {
  return await provider.redeem(flow, query, fresh).catch((error) => {
    throw toRefusal(services, provider, error)
  })
}

/**
 * Refuses an authentication from before the confirmation was started. The provider's time is compared with the machine's clock,
 * and the age of the flow with the server's.
 */
function requireFresh({ authenticatedAt }: OpenIdClaims, flow_age_ms: number): void {
  const age_ms = authenticatedAt === null ? Number.POSITIVE_INFINITY : systemClock.now() - authenticatedAt * 1000
  if (age_ms <= flow_age_ms + console_limits.openid_clock_ms) return
  throw refuse('openid_failed', { message: 'The provider did not ask you to authenticate again. Start again.' })
}

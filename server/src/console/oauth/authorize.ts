import Type from 'typebox'
import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { required, textParameter } from '../../api/declare/parameters.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { realmOfSession } from '../sessions/session.ts'
import { findUser } from '../sessions/show.ts'
import type { AuthorizationRequest } from '../shapes.ts'
import { type Asked, locationOf, type ReturnAddress, readAsked, readReturnAddress } from './authorization.ts'
import { OauthError } from './errors.ts'
import { listGrantsOfUser } from './queries.ts'
import { hostOf, isLocal } from './redirect-uri.ts'
import { newCode } from './secrets.ts'

/**
 * Shows what an application asks for. A request that only the application can correct has a `refusal` with the address that tells
 * it so.
 */
export const retrieveAuthorization = endpoint('GET oauth/authorization', {
  needs: 'session',
  query: {
    request: required(textParameter(console_limits.oauth_request_chars_max, 'the query of the authorization request')),
  },
  async handle({ services, session, query }) {
    const reader = services.store.reader('system')
    const { publicUrl } = services.settings
    const { form, to } = await readReturnAddress(reader, session, query.request ?? '')
    const { organization, user, role } = session
    const person = await reader.first(findUser, { organization, user })
    const shown = {
      application: { id: to.client.id, name: to.client.name, is_registered: to.client.organization !== null },
      organization: { id: organization, name: person?.name ?? '' },
      redirect_host: hostOf(to.redirectUri),
      is_local: isLocal(to.redirectUri),
      denied: locationOf(to, publicUrl, denied),
    }
    try {
      return { ...shown, asked: showAsked(readAsked(form, to, role, publicUrl)), refusal: null }
    } catch (error) {
      if (!(error instanceof OauthError)) throw error
      const said = { error: error.code, error_description: error.message }
      return { ...shown, asked: null, refusal: { ...said, location: locationOf(to, publicUrl, said) } }
    }
  },
})

const denied = { error: 'access_denied', error_description: 'The person has denied the access.' } as const

function showAsked({ scopes, withheld, resource, mode }: Asked): AuthorizationRequest['asked'] {
  return { scopes, withheld, resource, mode }
}

/** Allows an application what it asks for. The answer is the address that brings it a code, which it exchanges once, within a minute. */
export const allowAuthorization = endpoint('POST oauth/authorization', {
  needs: 'step_up',
  body: body({ request: Type.String({ minLength: 1, maxLength: console_limits.oauth_request_chars_max }) }),
  async handle(context) {
    const { services, session, body: sent } = context
    const { publicUrl } = services.settings
    const { form, to } = await readReturnAddress(services.store.reader('system'), session, sent.request)
    const asked = askedOf(() => readAsked(form, to, session.role, publicUrl))
    const code = await allow(context, to, asked)
    return { location: locationOf(to, publicUrl, { code }) }
  },
})

/** The page shows such a request without a button to allow it, so only a forged one arrives here. */
function askedOf(read: () => Asked): Asked {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    throw refuse('invalid_request_body', { param: 'request', message: error.message })
  }
}

async function allow(
  context: Parameters<typeof commitAsUser>[0],
  { client, redirectUri }: ReturnAddress,
  { scopes, challenge, resource, mode }: Asked,
): Promise<string> {
  const { services, session } = context
  const dataSet = realmOfSession(session, mode as Mode)
  const { organization, user } = session
  const change = { action: 'applications.authorize', realms: [dataSet] }
  return await commitAsUser(context, change, async ({ tx, now, note }) => {
    const grants = await tx.all(listGrantsOfUser, { organization, user, now })
    if (grants.length >= console_limits.oauth_grants_max) {
      const message = `You have given ${console_limits.oauth_grants_max} applications access. End one in Settings → Security first.`
      throw refuse('resource_conflict', { message })
    }
    const code = newCode()
    tx.insert('oauth_codes', {
      ...{ digest: services.sealer.digest(code), organization, realm: dataSet.realm, mode, client: client.id, user },
      ...{ scopes: JSON.stringify(scopes), redirect_uri: redirectUri, challenge, resource },
      ...{ created: now, expires_at: now + console_limits.oauth_code_ms },
    })
    note({ target: { object: 'application', id: client.id } })
    return code
  })
}

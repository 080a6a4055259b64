/**
 * An authorization request (RFC 6749 §4.1.1 with PKCE by S256, RFC 7636): the query with which an application sends the person
 * to `/oauth/authorize`. A faulty client or redirect URI is shown to the person only, because the address may be anyone's. Other
 * faults are for the application; the person sends them back by a button, so that this page is no open redirector.
 */

import type { Mode, Resource } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { isScope, type Scope } from '../../api/declare/scopes.ts'
import { grantableScopes } from '../../api/request/oauth-grants.ts'
import type { OauthClientRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { console_limits } from '../limits.ts'
import type { ActiveSession } from '../sessions/session.ts'
import { OauthError, type OauthErrorCode, shown } from './errors.ts'
import { type Form, readForm, requireParameter } from './form.ts'
import { issuerOf } from './metadata.ts'
import { findClient } from './queries.ts'
import { isRegistered } from './redirect-uri.ts'
import { readResource } from './resource.ts'

/** The client and the address of a request: what is needed to answer the application. */
export interface ReturnAddress {
  readonly client: OauthClientRow
  readonly redirectUri: string
  readonly state: string | null
}

/** What an application asks for. */
export interface Asked {
  /** What the person can give of it. */
  readonly scopes: readonly Scope[]
  /** What the application asks for and the person's role does not have. */
  readonly withheld: readonly Scope[]
  readonly challenge: string
  readonly resource: Resource | null
  readonly mode: Mode
}

/** Reads the query and finds the client. Refuses with the API's errors what must not lead back to an application. */
export async function readReturnAddress(
  reader: Reader,
  session: ActiveSession,
  sent: string,
): Promise<{ readonly form: Form; readonly to: ReturnAddress }> {
  const form = readQuery(sent)
  const id = form.get('client_id') ?? ''
  const client = id === '' ? undefined : await reader.first(findClient, { id })
  // A client of another organization does not exist for this one.
  if (client === undefined || (client.organization !== null && client.organization !== session.organization)) {
    const message =
      id === ''
        ? 'The parameter client_id is missing.'
        : `No application with the client_id ${shown(id)} is registered here.`
    throw refuse('resource_not_found', { param: 'client_id', message })
  }
  const redirectUri = form.get('redirect_uri') ?? ''
  if (!isRegistered(JSON.parse(client.redirect_uris) as string[], redirectUri)) {
    const message =
      redirectUri === ''
        ? 'The parameter redirect_uri is missing.'
        : `The redirect_uri ${shown(redirectUri)} is not registered for this application.`
    throw refuse('invalid_query_parameter', { param: 'redirect_uri', message })
  }
  return { form, to: { client, redirectUri, state: form.get('state') ?? null } }
}

function readQuery(sent: string): Form {
  try {
    return readForm(sent)
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    throw refuse('invalid_query_parameter', { message: error.message })
  }
}

/** Reads the rest of the request. Throws an OauthError for the application. */
export function readAsked(form: Form, { client, state }: ReturnAddress, role: string, publicUrl: string): Asked {
  const type = requireParameter(form, 'response_type')
  if (type !== 'code')
    throw new OauthError('unsupported_response_type', `response_type cannot be ${shown(type)}. Use \`code\`.`)
  const response_mode = form.get('response_mode')
  if (response_mode !== undefined && response_mode !== 'query')
    throw new OauthError('invalid_request', `response_mode cannot be ${shown(response_mode)}. Use \`query\`.`)
  for (const name of ['request', 'request_uri'])
    if (form.has(name)) throw new OauthError('invalid_request', `The parameter ${shown(name)} is not supported.`)
  if (state !== null && state.length > console_limits.oauth_state_chars_max)
    throw new OauthError('invalid_request', `state is longer than ${console_limits.oauth_state_chars_max} characters.`)
  const challenge = readChallenge(form)
  const resource = readResource(form, publicUrl)
  return { ...readScopes(form, client, role), challenge, resource, mode: (client.mode ?? 'live') as Mode }
}

function readChallenge(form: Form): string {
  const challenge = requireParameter(form, 'code_challenge')
  const method = form.get('code_challenge_method') ?? 'plain'
  if (method !== 'S256')
    throw new OauthError('invalid_request', `code_challenge_method cannot be ${shown(method)}. Use \`S256\`.`)
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OauthError('invalid_request', 'code_challenge must have 43 characters of base64url, as S256 gives them.')
  return challenge
}

function readScopes(form: Form, client: OauthClientRow, role: string): Pick<Asked, 'scopes' | 'withheld'> {
  const registered = JSON.parse(client.scopes) as Scope[]
  const named = form.get('scope')?.split(' ').filter(Boolean) ?? registered
  for (const scope of named) {
    if (!isScope(scope)) throw new OauthError('invalid_scope', `There is no scope ${shown(scope)}.`)
    if (!registered.includes(scope))
      throw new OauthError('invalid_scope', `The application is not registered for the scope ${shown(scope)}.`)
  }
  const held = grantableScopes(role)
  // In the order of registration, each once.
  const asked = registered.filter((scope) => named.includes(scope))
  const scopes = asked.filter((scope) => held.has(scope))
  if (scopes.length === 0)
    throw new OauthError('invalid_scope', `The person's role has none of the scopes ${shown(asked.join(' '))}.`)
  return { scopes, withheld: asked.filter((scope) => !held.has(scope)) }
}

/** The address that tells the application: with the code or an error, `state` as sent, and the issuer (RFC 9207). */
export function locationOf(
  { redirectUri, state }: ReturnAddress,
  publicUrl: string,
  said: { readonly code: string } | { readonly error: OauthErrorCode; readonly error_description: string },
): string {
  const added = new URLSearchParams(Object.entries(said))
  if (state !== null) added.set('state', state)
  added.set('iss', issuerOf(publicUrl))
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${added}`
}

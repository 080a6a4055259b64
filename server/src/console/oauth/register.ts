/**
 * `POST /oauth/register` (RFC 7591): a program registers itself, as agents do that speak the Model Context Protocol. Such a
 * client is public, has no scope to manage keys, and is deleted when it stays unused. Registrations are limited per address and
 * in number. They belong to no organization, so no audit log has them; the server's log does.
 */
import { refuse } from '../../api/declare/errors.ts'
import type { Request } from '../../api/declare/request.ts'
import { isScope, type Scope } from '../../api/declare/scopes.ts'
import { bodyBounds } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import { newId } from '../../lib/ids.ts'
import { type JsonValue, parseStrictJson } from '../../lib/strict-json.ts'
import { countRegistration } from '../accounts/throttle.ts'
import { console_limits } from '../limits.ts'
import { addressOf } from '../origins.ts'
import { OauthError, shown } from './errors.ts'
import { self_registered_scopes } from './metadata.ts'
import { countSelfRegistered } from './queries.ts'
import { requireRedirectUri } from './redirect-uri.ts'

type Metadata = Readonly<Record<string, JsonValue>>

const json_depth_max = 5

/** The client as registered, which may differ from what was sent (RFC 7591 §3.2.1). */
export async function answerRegistration(services: Services, request: Request) {
  const sent = readMetadata(await request.body())
  const redirect_uris = readRedirectUris(sent)
  const name = readName(sent)
  const scopes = readScopes(sent)
  requireWords(sent, 'grant_types', ['authorization_code', 'refresh_token'])
  requireWords(sent, 'response_types', ['code'])
  await countRegistration(services, addressOf(request, services.settings))
  const now = services.clock.now()
  const id = newId('app', now)
  await services.store.write('system', async (tx) => {
    const { count } = (await tx.first(countSelfRegistered, {})) ?? { count: 0 }
    // Unused ones expire within a day.
    if (count >= console_limits.oauth_self_registered_max) throw refuse('too_many_attempts', { retryAfter: 3600 })
    tx.insert('oauth_clients', {
      ...{ id, organization: null, realm: null, mode: null, name, kind: 'public', digest: null, hint: null },
      ...{ scopes: JSON.stringify(scopes), redirect_uris: JSON.stringify(redirect_uris) },
      ...{ created: now, updated: now, expires_at: now + console_limits.oauth_unused_ms },
    })
  })
  services.log.info('a client registered itself', { client: id, redirect_uris: redirect_uris.join(' ') })
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now / 1000),
    client_name: name,
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: scopes.join(' '),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function invalid(description: string): OauthError {
  return new OauthError('invalid_client_metadata', description)
}

function readMetadata(bytes: Buffer): Metadata {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
  const parsed = parseStrictJson(text, bodyBounds(json_depth_max))
  if (!parsed.ok) throw invalid(`The body is not valid JSON: ${parsed.message}`)
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('The body must be an object.')
  return value as Metadata
}

function readRedirectUris({ redirect_uris: sent }: Metadata): string[] {
  const most = console_limits.oauth_redirect_uris_max
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > most || sent.some((uri) => typeof uri !== 'string'))
    throw new OauthError('invalid_redirect_uri', `redirect_uris must be 1 to ${most} texts.`)
  const uris = sent as string[]
  for (const [i, uri] of uris.entries()) requireRedirectUri(uri, `redirect_uris[${i}]`)
  return [...new Set(uris)]
}

/** Characters that could hide or reorder a name are refused, because people decide by it. */
function readName({ client_name: sent }: Metadata): string {
  if (sent === undefined) return 'Unnamed application'
  const most = console_limits.oauth_client_name_chars_max
  if (typeof sent !== 'string' || sent.trim() === '' || [...sent].length > most || /[\p{C}\p{Zl}\p{Zp}]/u.test(sent))
    throw invalid(`client_name must have 1 to ${most} printable characters.`)
  return sent.trim()
}

function readScopes({ scope: sent }: Metadata): readonly Scope[] {
  if (sent === undefined) return self_registered_scopes
  if (typeof sent !== 'string') throw invalid('scope must be a text of scopes with spaces between them.')
  const named = sent.split(' ').filter(Boolean)
  for (const scope of named) {
    if (!isScope(scope)) throw invalid(`scope has ${shown(scope)}, which does not exist.`)
    if (!self_registered_scopes.includes(scope))
      throw invalid(`scope has ${shown(scope)}, which only registered applications of an organization get.`)
  }
  if (named.length === 0) throw invalid('scope is empty. Leave it out for all scopes.')
  return self_registered_scopes.filter((scope) => named.includes(scope))
}

function requireWords(sent: Metadata, name: string, words: readonly string[]): void {
  const value = sent[name]
  if (value === undefined) return
  const other = Array.isArray(value) ? value.find((word) => !words.includes(word as string)) : value
  if (other !== undefined)
    throw invalid(`${name} has ${shown(JSON.stringify(other))}. Use ${words.map((word) => shown(word)).join(' and ')}.`)
  if (!(value as unknown[]).includes(words[0])) throw invalid(`${name} must have ${shown(words[0] ?? '')}.`)
}

/**
 * `POST /oauth/token`: exchanges a code, once, or a refresh token, which each use replaces (RFC 6749 §4.1.3 and §6, RFC 9700
 * §2.2.2). A code or refresh token that is sent again has two holders, so its grant ends. That end is committed although the
 * request is refused.
 */
import { hash } from 'node:crypto'
import type { Resource } from '../../api/declare/caller.ts'
import type { Request } from '../../api/declare/request.ts'
import { isScope, type Scope } from '../../api/declare/scopes.ts'
import { limits } from '../../api/limits.ts'
import { grantableScopes } from '../../api/request/oauth-grants.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange, system_actor } from '../../api/write/system-change.ts'
import type { OauthCodeRow, OauthGrantRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { sameBytes } from '../../lib/seal.ts'
import { authorOf } from '../author.ts'
import { type Claim, grant_failed, identifyClient, requireClient } from './client.ts'
import { OauthError, shown } from './errors.ts'
import { type Form, readFormBody, requireParameter } from './form.ts'
import { endGrant, insertGrant, renewGrant, type Tokens } from './grants.ts'
import { deleteCode, findActiveRole, findCode, findGrant, findGrantOfCode } from './queries.ts'
import { readResource } from './resource.ts'
import { grantOfRefreshToken } from './secrets.ts'

interface TokenContext {
  readonly services: Services
  readonly request: Request
}

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  /** Seconds. */
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

export async function answerToken(context: TokenContext): Promise<TokenAnswer> {
  const { services, request } = context
  const form = await readFormBody(request)
  const grant_type = requireParameter(form, 'grant_type')
  if (grant_type !== 'authorization_code' && grant_type !== 'refresh_token') {
    const use = 'Use `authorization_code` or `refresh_token`.'
    throw new OauthError('unsupported_grant_type', `grant_type cannot be ${shown(grant_type)}. ${use}`)
  }
  const claim = await identifyClient(services, request, form)
  const exchange = grant_type === 'refresh_token' ? refresh : exchangeCode
  const { access, refresh: refresh_token, scopes } = await exchange(context, form, claim)
  const expires_in = limits.access_token_ms / 1000
  return { access_token: access, token_type: 'Bearer', expires_in, refresh_token, scope: scopes.join(' ') }
}

async function exchangeCode(context: TokenContext, form: Form, claim: Claim): Promise<Tokens> {
  const { services } = context
  const digest = services.sealer.digest(requireParameter(form, 'code'))
  const redirectUri = requireParameter(form, 'redirect_uri')
  const verifier = requireParameter(form, 'code_verifier')
  const resource = readResource(form, services.settings.publicUrl)
  const reader = services.store.reader('system')
  const code = await reader.first(findCode, { digest })
  if (code === undefined) return await refuseUsedCode(context, digest)
  const client = await requireClient(reader, claim, code.client)
  if (code.resource !== null && resource !== null && code.resource !== resource)
    throw new OauthError('invalid_target', 'resource differs from the one that the person has allowed.')
  const tokens = await commitToken(context, code, 'access_tokens.create', async (tx, now) => {
    // Another request may have used it in the meantime.
    const current = await tx.first(findCode, { digest })
    if (current === undefined || now >= current.expires_at) return null
    requireProof(current, redirectUri, verifier)
    await requirePerson(tx, current)
    tx.write(deleteCode, { digest })
    const made = insertGrant(
      tx,
      services.sealer,
      { code: current, client, resource: (code.resource as Resource | null) ?? resource },
      now,
    )
    return { answer: made, target: { object: 'access_token', id: made.credential } }
  })
  return tokens ?? (await refuseUsedCode(context, digest))
}

/** Refuses a request that does not come from the client which started (RFC 7636 §4.6), or not by its address. */
function requireProof(code: OauthCodeRow, redirectUri: string, verifier: string): void {
  if (redirectUri !== code.redirect_uri)
    throw new OauthError('invalid_grant', 'redirect_uri differs from that of the authorization request.')
  if (!/^[\w.~-]{43,128}$/.test(verifier))
    throw new OauthError('invalid_request', 'code_verifier must have 43 to 128 letters, digits or any of - . _ ~')
  if (!sameBytes(hash('sha256', verifier, 'base64url'), code.challenge))
    throw new OauthError('invalid_grant', 'code_verifier does not fit the code_challenge.')
}

/** Refuses a code of a person who has left, or become a guest, since. Returns the person's scopes. */
async function requirePerson(
  tx: Tx,
  { organization, user }: Pick<OauthCodeRow, 'organization' | 'user'>,
): Promise<ReadonlySet<Scope>> {
  const role = (await tx.first(findActiveRole, { organization, user }))?.role ?? 'guest'
  const held = grantableScopes(role)
  if (held.size === 0) throw new OauthError('invalid_grant', grant_failed)
  return held
}

/** Refuses a code that is unknown or used. The grant of a used one ends. */
async function refuseUsedCode(context: TokenContext, digest: string): Promise<never> {
  const grant = await context.services.store.reader('system').first(findGrantOfCode, { digest })
  if (grant !== undefined) await revokeGrant(context, grant)
  throw new OauthError('invalid_grant', grant_failed)
}

async function refresh(context: TokenContext, form: Form, claim: Claim): Promise<Tokens> {
  const { services } = context
  const { store, sealer } = services
  const token = requireParameter(form, 'refresh_token')
  const named = grantOfRefreshToken(sealer, token)
  const reader = store.reader('system')
  const grant = named === null ? undefined : await reader.first(findGrant, { id: named })
  if (grant === undefined) throw new OauthError('invalid_grant', grant_failed)
  await requireClient(reader, claim, grant.client)
  const digest = sealer.digest(token)
  requireSameResource(form, services.settings.publicUrl, grant)
  const scopes = readScopes(form, grant)
  const tokens = await commitToken(context, grant, 'access_tokens.refresh', async (tx, now) => {
    const current = await tx.first(findGrant, { id: grant.id })
    if (current === undefined || now >= current.expires_at || current.refresh_digest !== digest) return null
    await requirePerson(tx, current)
    const renewed = await renewGrant(tx, sealer, current, scopes, now)
    return renewed && { answer: renewed, target: { object: 'access_token', id: renewed.credential } }
  })
  if (tokens !== null) {
    // The access token before is no longer valid.
    services.credentials.forget()
    return tokens
  }
  // Signed by this installation, but not the newest: it was used before.
  await revokeGrant(context, grant)
  throw new OauthError('invalid_grant', grant_failed)
}

function requireSameResource(form: Form, publicUrl: string, grant: OauthGrantRow): void {
  const resource = readResource(form, publicUrl)
  if (resource !== null && resource !== grant.resource)
    throw new OauthError('invalid_target', 'resource differs from the one that the person has allowed.')
}

/** Fewer scopes are for this access token only; the next refresh may ask for all again (RFC 6749 §6). */
function readScopes(form: Form, grant: OauthGrantRow): readonly Scope[] {
  const granted = JSON.parse(grant.scopes) as Scope[]
  const named = form.get('scope')?.split(' ').filter(Boolean)
  if (named === undefined) return granted
  const other = named.find((scope) => !isScope(scope) || !granted.includes(scope))
  if (other !== undefined) throw new OauthError('invalid_scope', `The grant does not have the scope ${shown(other)}.`)
  return granted.filter((scope) => named.includes(scope))
}

interface Made {
  readonly answer: Tokens
  readonly target: { readonly object: string; readonly id: string }
}

/** Commits tokens with their audit entry, whose actor is the person who allowed them. */
async function commitToken(
  context: TokenContext,
  { organization, realm, mode, user }: Pick<OauthCodeRow, 'organization' | 'realm' | 'mode' | 'user'>,
  action: string,
  make: (tx: Tx, now: number) => Promise<Made | null>,
): Promise<Tokens | null> {
  const realms = [{ realm, mode: mode as 'live' | 'test' }]
  const change = { organization, realms, action, everywhere: true, ...authorOf(context, user) } as const
  return await commitSystemChange(context.services, change, async ({ tx, now, note }) => {
    const made = await make(tx, now)
    if (made === null) return null
    note({ target: made.target })
    return made.answer
  })
}

/** Ends a grant because a code or refresh token was used twice, or because its client asks for it. */
export async function revokeGrant(context: TokenContext, grant: OauthGrantRow): Promise<void> {
  const { services } = context
  const { organization, realm, mode, user, credential } = grant
  const change = {
    ...{ organization, realms: [{ realm, mode: mode as 'live' | 'test' }], action: 'oauth_grants.delete' },
    ...{ everywhere: true as const, ...authorOf(context, user), actor: system_actor },
  }
  await commitSystemChange(services, change, async ({ tx, now, note }) => {
    if ((await tx.first(findGrant, { id: grant.id })) === undefined) return
    await endGrant(tx, grant, now)
    note({ target: { object: 'oauth_grant', id: grant.id } })
  })
  services.credentials.forget()
  services.streams.endOf(credential)
}

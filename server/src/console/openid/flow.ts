/**
 * A sign-in or a confirmation that is at a provider. It lives ten minutes, is used once, and belongs to the browser whose
 * cookie it has. The table has digests of state and cookie only; nonce and PKCE verifier are derived from both, so they are
 * nowhere stored. The cookie is `Lax`, because the browser comes back from another site.
 */
import { hash } from 'node:crypto'
import { refuse } from '../../api/declare/errors.ts'
import type { Request } from '../../api/declare/request.ts'
import type { Services } from '../../api/services.ts'
import type { SignInFlowRow } from '../../db/schema.ts'
import type { OpenIdFlow, OpenIdProvider } from '../../egress/openid-provider.ts'
import { console_limits } from '../limits.ts'
import { newSecret, readCookieNamed } from '../sessions/cookie.ts'
import { deleteFlow, findFlow } from './queries.ts'

const cookie_name = '__Host-atrium-openid'

/** The provider with this id. */
export function requireProvider(services: Services, id: string): OpenIdProvider {
  const provider = services.openid.get(id)
  if (provider !== undefined) return provider
  throw refuse('resource_not_found', { param: 'provider', message: `There is no provider \`${id}\` to sign in by.` })
}

export interface NewFlow {
  readonly provider: OpenIdProvider
  /** The session to confirm; `null` for a sign-in. */
  readonly session: string | null
  readonly next: string
  readonly origin: string
}

export interface StartedFlow {
  readonly flow: OpenIdFlow
  /** The `Set-Cookie` header. */
  readonly cookie: string
}

/** Inserts a flow. The secrets are returned here only. */
export async function insertFlow(
  services: Services,
  request: Request,
  started: NewFlow,
  now: number,
): Promise<StartedFlow> {
  const { store, sealer } = services
  const state = newSecret()
  // Sign-ins in several tabs share the cookie, so that the last one does not end the others.
  const browser = readCookieNamed(request, cookie_name) ?? newSecret()
  const row: SignInFlowRow = {
    state: sealer.digest(state),
    browser: sealer.digest(browser),
    provider: started.provider.settings.id,
    session: started.session,
    next: started.next,
    created: now,
    expires_at: now + console_limits.openid_flow_ms,
  }
  await store.write('system', async (tx) => tx.insert('sign_in_flows', row))
  const seconds = Math.floor(console_limits.openid_flow_ms / 1000)
  const cookie = `${cookie_name}=${browser}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`
  return { flow: flowOf(started.provider, started.origin, state, browser), cookie }
}

/**
 * Takes the flow of a returning browser, which no second request gets. An unknown, used, expired or foreign one gives the
 * same error; a foreign browser does not use it up.
 */
export async function takeFlow(
  services: Services,
  request: Request,
  provider: OpenIdProvider,
  { state, origin, now }: { readonly state: string; readonly origin: string; readonly now: number },
): Promise<{ readonly row: SignInFlowRow; readonly flow: OpenIdFlow }> {
  const { store, sealer } = services
  const browser = readCookieNamed(request, cookie_name)
  if (browser === null) throw refuse('openid_expired')
  const digest = sealer.digest(state)
  const row = await store.write('system', async (tx) => {
    const found = await tx.first(findFlow, { state: digest, browser: sealer.digest(browser) })
    if (found === undefined || found.provider !== provider.settings.id) return undefined
    return (await tx.run(deleteFlow, { state: digest })) === 1 ? found : undefined
  })
  if (row === undefined || now >= row.expires_at) throw refuse('openid_expired')
  return { row, flow: flowOf(provider, origin, state, browser) }
}

function flowOf(provider: OpenIdProvider, origin: string, state: string, browser: string): OpenIdFlow {
  const derive = (purpose: string) => hash('sha256', `${purpose} ${state} ${browser}`, 'base64url')
  return {
    // Each provider has its own address, so that the answer of one is not taken for another's (RFC 9700 §4.4).
    redirectUri: `${origin}/sign-in/return/${provider.settings.id}`,
    state,
    nonce: derive('nonce'),
    verifier: derive('verifier'),
  }
}

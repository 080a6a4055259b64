/**
 * The interface to one OpenID provider: the page to send the browser to, and the claims of the person who comes back.
 * Authorization code with PKCE, state and nonce; signatures are verified even though the ID token comes over TLS. The
 * operator names the issuer, which may therefore be at any address; the other endpoints that its metadata name must be
 * public, at the issuer's host, or allowed by the operator. Every request is bounded in time and size and follows no
 * redirect (`egress.ts`). The library is imported at the first use, which keeps it out of the start.
 */
import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client'
import type { Egress } from './egress.ts'
import { egress_limits } from './limits.ts'

type Library = typeof import('openid-client')
type Role = 'owner' | 'admin' | 'member'

/** What the operator configured. */
export interface OpenIdProviderSettings {
  readonly id: string
  /** As the button shows it. */
  readonly name: string
  /** The organization that people of this provider join. */
  readonly organization: string
  readonly issuer: string
  readonly clientId: string
  /** `null` for a public client. */
  readonly clientSecret: string | null
  /** In lower case. */
  readonly domains: readonly string[]
  readonly roleClaim: string | null
  /** The role of each value of the claim. */
  readonly roles: Readonly<Record<string, Role>>
  readonly defaultRole: Role
  /** Sign-ins count as a second factor: always, or with one of these values of `acr`; `amr` with `mfa` always counts. */
  readonly secondFactor: true | readonly string[]
}

/** What one sign-in sends to the provider and expects back. */
export interface OpenIdFlow {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface OpenIdClaims {
  readonly subject: string
  readonly email: string | null
  /** True only if the provider says so of this address. */
  readonly emailVerified: boolean
  readonly firstName: string | null
  readonly lastName: string | null
  /** The values of the claim of roles. */
  readonly roles: readonly string[]
  /** When the person authenticated, in Unix seconds of the provider's clock. */
  readonly authenticatedAt: number | null
  /** The sign-in counts as a second factor, by the ID token or by the settings. */
  readonly secondFactor: boolean
  /** As the provider signed it. */
  readonly idToken: string | null
}

/** `canceled`: by the person. `unreachable`: no answer, a late or large one, or a server error. `invalid`: anything else. */
export class OpenIdFailure extends Error {
  readonly kind: 'canceled' | 'unreachable' | 'invalid'

  constructor(kind: OpenIdFailure['kind'], reason: string) {
    super(reason)
    this.kind = kind
  }
}

const scope = 'openid email profile'

export class OpenIdProvider {
  readonly settings: OpenIdProviderSettings
  readonly #egress: Egress
  #configuration: { readonly promise: Promise<Configuration>; readonly until: number } | null = null

  constructor(settings: OpenIdProviderSettings, egress: Egress) {
    this.settings = settings
    this.#egress = egress
  }

  /** The provider's page. `fresh`: the person has to authenticate again, whatever session the provider has. */
  async authorizationUrl(flow: OpenIdFlow, fresh: boolean, loginHint: string | null = null): Promise<string> {
    return await this.#attempt(async (library, configuration) => {
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: flow.redirectUri,
        scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...(fresh ? { prompt: 'login', max_age: '0' } : {}),
        ...(loginHint === null ? {} : { login_hint: loginHint }),
      })
      return this.#requirePage(url)
    })
  }

  /** Redeems the code in the query with which the browser came back. `fresh`: the time of authentication is required. */
  async redeem(flow: OpenIdFlow, query: string, fresh: boolean): Promise<OpenIdClaims> {
    return await this.#attempt(async (library, configuration) => {
      const tokens = await library.authorizationCodeGrant(configuration, new URL(`${flow.redirectUri}?${query}`), {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
        ...(fresh ? { maxAge: egress_limits.openid_authentication_seconds_max } : {}),
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new OpenIdFailure('invalid', 'no ID token')
      const { userinfo_endpoint } = configuration.serverMetadata()
      if (this.#isComplete(claims) || userinfo_endpoint === undefined)
        return { ...this.#read(claims, claims), idToken: tokens.id_token ?? null }
      const more = await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return { ...this.#read(claims, more), idToken: tokens.id_token ?? null }
    })
  }

  /**
   * The provider's page that ends its session and leads back to `returnUri`; `null` if it has none. With the ID token of the
   * sign-in the provider knows whose session ends, and need not ask.
   */
  async endSessionUrl(returnUri: string, idToken: string | null): Promise<string | null> {
    return await this.#attempt(async (library, configuration) => {
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null
      const parameters: Record<string, string> = { post_logout_redirect_uri: returnUri }
      if (idToken !== null) parameters.id_token_hint = idToken
      return this.#requirePage(library.buildEndSessionUrl(configuration, parameters))
    })
  }

  /** Whether the ID token has what the provider may instead give at its userinfo endpoint. */
  #isComplete(claims: Claims): boolean {
    const { roleClaim } = this.settings
    const hasAddress = claims.email !== undefined && claims.email_verified !== undefined
    return hasAddress && (roleClaim === null || claims[roleClaim] !== undefined)
  }

  #read(
    token: Claims & { readonly sub: string; readonly auth_time?: number },
    more: Claims,
  ): Omit<OpenIdClaims, 'idToken'> {
    const { roleClaim } = this.settings
    if (token.sub.length > egress_limits.openid_subject_chars_max)
      throw new OpenIdFailure('invalid', 'the subject is too long')
    // Address and verification count only together: a source that has one of them says nothing about the other's.
    const address = token.email !== undefined && token.email_verified !== undefined ? token : more
    const email = textOf(address.email)
    const values = roleClaim === null ? [] : [token[roleClaim] ?? more[roleClaim]].flat()
    return {
      subject: token.sub,
      email: email === null ? null : email.toLowerCase(),
      emailVerified: email !== null && address.email_verified === true,
      firstName: textOf(token.given_name ?? more.given_name),
      lastName: textOf(token.family_name ?? more.family_name),
      roles: values
        .slice(0, egress_limits.openid_claim_values_max)
        .filter((value): value is string => typeof value === 'string'),
      secondFactor: this.#hasSecondFactor(token),
      authenticatedAt: typeof token.auth_time === 'number' ? token.auth_time : null,
    }
  }

  /** Only the ID token counts: it is signed, and says how the person authenticated this time (RFC 8176, OpenID Connect Core §2). */
  #hasSecondFactor({ amr, acr }: Claims): boolean {
    const { secondFactor } = this.settings
    if (secondFactor === true) return true
    return (Array.isArray(amr) && amr.includes('mfa')) || (typeof acr === 'string' && secondFactor.includes(acr))
  }

  /** Refuses a page that a browser must not be sent to. */
  #requirePage(url: URL): string {
    const isPlain = url.protocol === 'http:' && this.settings.issuer.startsWith('http:')
    if (url.protocol === 'https:' || isPlain) return url.href
    throw new OpenIdFailure('invalid', `a page of the provider has the protocol ${url.protocol}`)
  }

  /** Runs `work` with the provider's metadata. Rejects with OpenIdFailure only. */
  async #attempt<T>(work: (library: Library, configuration: Configuration) => Promise<T>): Promise<T> {
    const library = await import('openid-client')
    try {
      return await work(library, await this.#configurationOf(library))
    } catch (error) {
      throw toFailure(library, error)
    }
  }

  async #configurationOf(library: Library): Promise<Configuration> {
    const now = performance.now()
    if (this.#configuration !== null && now < this.#configuration.until) return await this.#configuration.promise
    const promise = this.#discover(library)
    const entry = { promise, until: now + egress_limits.openid_metadata_ms }
    this.#configuration = entry
    promise.catch(() => {
      if (this.#configuration === entry) this.#configuration = null
    })
    return await promise
  }

  async #discover(library: Library): Promise<Configuration> {
    const { issuer, clientId } = this.settings
    return await library.discovery(new URL(issuer), clientId, {}, this.#authentication(library), {
      timeout: egress_limits.openid_request_ms / 1000,
      [library.customFetch]: (url, options) => this.#fetch(url, options),
      execute: [
        library.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
      ],
    })
  }

  /** Basic authentication unless the provider only accepts the secret in the body (OpenID Connect Discovery §3). */
  #authentication(library: Library): ClientAuth {
    const { clientSecret } = this.settings
    if (clientSecret === null) return library.None()
    const basic = library.ClientSecretBasic(clientSecret)
    const post = library.ClientSecretPost(clientSecret)
    return (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
      return (isPost ? post : basic)(server, client, body, headers)
    }
  }

  async #fetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    const answer = await this.#egress.send({
      url: new URL(url),
      method,
      headers: { ...headers, 'Accept-Encoding': 'identity', 'User-Agent': 'Atrium' },
      // The library sends forms to the token endpoint and nothing elsewhere.
      body: body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '',
      total_ms: egress_limits.openid_request_ms,
      connect_ms: egress_limits.openid_connect_ms,
      response_bytes_max: egress_limits.openid_response_bytes_max,
    })
    if (!answer.ok) throw new OpenIdFailure('unreachable', answer.failure)
    if (answer.status >= 500) throw new OpenIdFailure('unreachable', `status ${answer.status}`)
    if (answer.body.length >= egress_limits.openid_response_bytes_max)
      throw new OpenIdFailure('unreachable', 'the answer is too large')
    const texts = Object.entries(answer.headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    const content = answer.body.length === 0 ? null : new Uint8Array(answer.body)
    return new Response(content, { status: answer.status, headers: texts })
  }
}

type Claims = Readonly<Record<string, unknown>>

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** The failure behind what the library throws, without what the provider wrote: that may contain tokens. */
function toFailure(library: Library, error: unknown): OpenIdFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof OpenIdFailure) return cause
  if (error instanceof library.AuthorizationResponseError) {
    if (error.error === 'access_denied') return new OpenIdFailure('canceled', error.error)
    const isPassing = error.error === 'temporarily_unavailable' || error.error === 'server_error'
    return new OpenIdFailure(isPassing ? 'unreachable' : 'invalid', `the provider answered ${error.error.slice(0, 80)}`)
  }
  if (error instanceof Error && error.name === 'TimeoutError') return new OpenIdFailure('unreachable', 'timeout')
  return new OpenIdFailure('invalid', error instanceof Error ? error.message.slice(0, 200) : 'unknown')
}

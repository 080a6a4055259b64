/**
 * OpenID providers on the loopback interface: a certified one, and a stand-in that signs whatever a test wants. A test plays
 * the browser by `visit`, which follows redirects and sends the provider's own forms.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { Services } from '../src/api/services.ts'
import { Egress } from '../src/egress/egress.ts'
import { OpenIdProvider, type OpenIdProviderSettings } from '../src/egress/openid-provider.ts'

const client = { client_id: 'atrium', client_secret: 'a secret of the client' }

/** The entry of ATRIUM_OIDC_PROVIDERS for a provider of these classes. */
export interface ProviderEntry {
  readonly id: string
  readonly issuer: string
  readonly organization: string
  readonly [key: string]: unknown
}

export function entryOf(
  issuer: string,
  organization: string,
  more: Readonly<Record<string, unknown>> = {},
): ProviderEntry {
  return { id: 'corp', name: 'Corp', issuer, organization, domains: ['corp.example'], ...client, ...more }
}

/** Adds a provider to a running server, for tests whose organization exists only after the start. */
export function addProvider(services: Services, issuer: string, more: Partial<OpenIdProviderSettings>): void {
  const settings: OpenIdProviderSettings = {
    ...{ id: 'corp', name: 'Corp', organization: '', issuer, domains: ['corp.example'] },
    ...{ clientId: client.client_id, clientSecret: client.client_secret },
    ...{ roleClaim: null, roles: {}, defaultRole: 'member', secondFactor: [] },
    ...more,
  }
  const egress = new Egress({ allowedHosts: ['127.0.0.1'], allowedCidrs: [] })
  // Only the composition root adds providers, so the type is read-only.
  const providers = services.openid as Map<string, OpenIdProvider>
  providers.set(settings.id, new OpenIdProvider(settings, egress))
}

abstract class Loopback {
  readonly #server: Server
  #handler: RequestListener = (_request, response) => void response.writeHead(503).end()

  constructor() {
    this.#server = createServer((request, response) => this.#handler(request, response))
  }

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  protected serve(handler: RequestListener): void {
    this.#handler = handler
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

export type Person = Readonly<Record<string, unknown>>

/** A certified provider with people whom a test names; every password is right. */
export class CertifiedProvider extends Loopback {
  /** Claims by login, which is also the subject. */
  readonly people = new Map<string, Person>()

  /** Registers the console at this origin as the client. */
  register(origin: string, ...ids: readonly string[]): void {
    const provider = new Provider(this.issuer, {
      clients: [
        {
          ...client,
          redirect_uris: ids.map((id) => `${origin}/sign-in/return/${id}`),
          post_logout_redirect_uris: [`${origin}/sign-in`],
        },
      ],
      claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      findAccount: (_context: unknown, sub: string) => {
        const claims = this.people.get(sub)
        return claims && { accountId: sub, claims: () => ({ sub, ...claims }) }
      },
      cookies: { keys: ['a key of the test'] },
      // The defaults print that they are defaults.
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    })
    this.serve(provider.callback())
  }
}

/** What a stand-in puts into its ID token in place of what is right. */
export interface Forgery {
  readonly claims?: Readonly<Record<string, unknown>>
  /** Signs with a key that its key set does not have. */
  readonly foreignKey?: boolean
  /** The issuer in its metadata. */
  readonly issuer?: string
  /** Answers the token endpoint with this many bytes. */
  readonly bytes?: number
  readonly status?: number
}

const pairs = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))

/** A provider that answers every code, as a hostile or broken one would. */
export class ForgingProvider extends Loopback {
  forgery: Forgery = {}
  /** The person, and the nonce of the latest authorization. */
  claims: Record<string, unknown> = {}
  /** Requests by path. */
  readonly requests: string[] = []

  constructor() {
    super()
    this.serve(async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', this.issuer)
      this.requests.push(pathname)
      await bodyOf(request)
      const answer = this.#answers[pathname]?.()
      response.writeHead(answer === undefined ? 404 : (this.forgery.status ?? 200), {
        'content-type': 'application/json',
      })
      response.end(JSON.stringify(answer ?? {}))
    })
  }

  readonly #answers: Readonly<Record<string, () => object>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: this.forgery.issuer ?? this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/keys': () => ({
      keys: [{ ...pairs[0]?.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
    }),
    '/token': () => ({
      access_token: 'an access token',
      token_type: 'Bearer',
      id_token: this.#idToken(),
      padding: 'x'.repeat(this.forgery.bytes ?? 0),
    }),
  }

  #idToken(): string {
    const now = Math.floor(Date.now() / 1000)
    const { foreignKey = false, claims } = this.forgery
    const right = { iss: this.issuer, aud: client.client_id, iat: now, exp: now + 300, auth_time: now }
    return jwt({ ...right, ...this.claims, ...claims }, pairs[foreignKey ? 1 : 0]?.privateKey as KeyObject)
  }

  /** The query with which this provider sends a browser back from `url`. */
  answer(url: string): string {
    const { searchParams } = new URL(url)
    this.claims = { ...this.claims, nonce: searchParams.get('nonce') }
    return new URLSearchParams({ code: 'a code', state: searchParams.get('state') ?? '' }).toString()
  }
}

function jwt(claims: object, key: KeyObject): string {
  const text = [{ alg: 'RS256', kid: 'one' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

async function bodyOf(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

/** A browser at a provider; it keeps the provider's cookies. */
export class ProviderVisitor {
  readonly #cookies = new Map<string, string>()

  /** Follows `url` as this person until the provider sends the browser back, and returns that address. */
  async visit(url: string, login: string | null): Promise<URL> {
    const { origin } = new URL(url)
    let next: { url: string; form?: URLSearchParams } = { url }
    for (let i = 0; i < 20; i++) {
      if (!next.url.startsWith(origin)) return new URL(next.url)
      const response = await this.#send(next.url, next.form)
      const location = response.headers.get('location')
      if (location !== null) {
        next = { url: new URL(location, next.url).href }
        continue
      }
      const page = await response.text()
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
      assert.ok(action, `the provider shows a page without a form: ${response.status} ${page.slice(0, 500)}`)
      const abort = /href="([^"]+\/abort)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
      next =
        login === null
          ? { url: new URL(abort ?? '', next.url).href }
          : { url: new URL(action, next.url).href, form: new URLSearchParams({ prompt, login, password: 'any' }) }
    }
    throw new Error('the provider does not send the browser back')
  }

  async #send(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { body: form }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }
}

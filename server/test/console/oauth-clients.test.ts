/** Programs that others wrote sign in: the client of the Model Context Protocol's SDK, and `openid-client`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  auth,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import * as openid from 'openid-client'
import { redirect_uri, registerApplication } from '../oauth-client.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { ownerOf } from './visitor.ts'

const local_uri = 'http://127.0.0.1:3334/back'

type SavedClient = Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0]
type SavedTokens = Parameters<OAuthClientProvider['saveTokens']>[0]

/** An agent's storage. The person's browser is the visitor. */
class AgentStorage implements OAuthClientProvider {
  readonly redirectUrl = local_uri
  readonly clientMetadata = { client_name: 'Agent', redirect_uris: [local_uri] }
  asked: URL | null = null
  #client: SavedClient | undefined
  #tokens: SavedTokens | undefined
  #verifier = ''

  clientInformation() {
    return this.#client
  }

  saveClientInformation(client: SavedClient) {
    this.#client = client
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens: SavedTokens) {
    this.#tokens = tokens
  }

  redirectToAuthorization(url: URL) {
    this.asked = url
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }
}

onEveryWorld('A program with a ready-made client', (world) => {
  const owner = openFirst(() => ownerOf(world))

  const allow = async (asked: URL) =>
    new URL((await owner.must('POST', 'oauth/authorization', { request: asked.search.slice(1) })).location)

  it('connects to /mcp with the address alone: finds the server, registers, asks, refreshes', async () => {
    const storage = new AgentStorage()
    const url = new URL(`${world.server.url}/mcp`)
    const connect = async () => {
      const client = new Client({ name: 'agent', version: '1' })
      const transport = new StreamableHTTPClientTransport(url, { authProvider: storage })
      await client.connect(transport)
      return client
    }
    await assert.rejects(connect(), UnauthorizedError)
    assert.ok(storage.asked)
    assert.equal(storage.asked.searchParams.get('resource'), url.href)
    const back = (await allow(storage.asked)).searchParams
    const finishing = new StreamableHTTPClientTransport(url, { authProvider: storage })
    await finishing.finishAuth(back)
    const client = await connect()
    const { tools } = await client.listTools()
    assert.ok(
      tools.some(({ name }) => name === 'tasks_list'),
      'the tools of the granted scopes',
    )
    await client.close()
    const before = storage.tokens()
    assert.equal(await auth(storage, { serverUrl: url }), 'AUTHORIZED')
    assert.notEqual(storage.tokens()?.access_token, before?.access_token)
    assert.notEqual(storage.tokens()?.refresh_token, before?.refresh_token)
    const { data } = await owner.must('GET', 'oauth/grants')
    assert.deepEqual([data[0].application.name, data[0].resource], ['Agent', 'mcp'])
  })

  it('signs in, refreshes and signs out by openid-client, which checks the issuer and the state', async () => {
    for (const kind of ['public', 'confidential'] as const) {
      const application = await registerApplication(owner, { kind })
      const proof = application.secret === null ? openid.None() : openid.ClientSecretBasic(application.secret)
      const configuration = await openid.discovery(new URL(world.server.url), application.id, undefined, proof, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      })
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const expectedState = openid.randomState()
      const asked = openid.buildAuthorizationUrl(configuration, {
        redirect_uri,
        scope: 'api:read tasks:read',
        state: expectedState,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      })
      const back = await allow(asked)
      const first = await openid.authorizationCodeGrant(configuration, back, { pkceCodeVerifier, expectedState })
      assert.equal((await world.get('/v1/me', { key: first.access_token })).status, 200)
      const second = await openid.refreshTokenGrant(configuration, first.refresh_token ?? '')
      assert.equal((await world.get('/v1/me', { key: second.access_token })).status, 200)
      await openid.tokenRevocation(configuration, second.refresh_token ?? '')
      assert.equal((await world.get('/v1/me', { key: second.access_token })).status, 401)
    }
  })
})

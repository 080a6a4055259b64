/** Sign-in of applications by OAuth: what a person allows, what a code and a refresh token are good for, what ends access. */
import assert from 'node:assert/strict'
import { before, beforeEach, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { console_limits } from '../../src/console/limits.ts'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import { query } from '../../src/db/query.ts'
import { sweeps } from '../../src/workers/sweeps/sweeps.ts'
import {
  type Application,
  codeOf,
  exchange,
  failure,
  newVerifier,
  redirect_uri,
  refresh,
  registerApplication,
  requestOf,
  sendForm,
  tokensFor,
} from '../oauth-client.ts'
import { onEveryWorld } from '../world.ts'
import { join, ownerOf, password, refusal, tokenOf, Visitor } from './visitor.ts'

const clients = query((db) => db.selectFrom('oauth_clients').selectAll())
const codes = query((db) => db.selectFrom('oauth_codes').selectAll())
const grants = query((db) => db.selectFrom('oauth_grants').selectAll())
const credentials = query((db) => db.selectFrom('credentials').selectAll().where('kind', '=', 'access_token'))

const grant_failed = 'The code or refresh token is unknown, expired, used or revoked, or was issued to another client.'
const client_failed = 'The client is unknown, or its secret is wrong.'
const missing_client = 'app_01KZ0000000000000000000000'

onEveryWorld('Signing in to an application by OAuth', (world) => {
  let owner: Visitor
  let member: Visitor
  let planner: Application
  let vault: Application
  let url: string

  before(async () => {
    url = world.server.url
    owner = await ownerOf(world)
    member = await join(owner, 'plain@acme.example', 'member')
    planner = await registerApplication(owner)
    vault = await registerApplication(owner, { kind: 'confidential', scopes: ['api:read', 'api:manage', 'tasks:read'] })
  })

  const reader = () => world.services.store.reader('system')
  const me = (key: string) => world.get('/v1/me', { key })
  const confirm = (person: Visitor = owner) => person.must('POST', 'step-up', { password })
  beforeEach(async () => {
    await confirm(owner)
    await confirm(member)
  })

  const look = (person: Visitor, request: string) =>
    person.get(`oauth/authorization?${new URLSearchParams({ request })}`)
  const allow = (person: Visitor, request: string) => person.post('oauth/authorization', { request })

  it('shows who asks for what, and gives a token that acts for the application with these scopes', async () => {
    const verifier = newVerifier()
    const request = requestOf(planner, verifier, { scope: 'tasks:read api:read' })
    const { body } = await look(member, request)
    assert.deepEqual(
      [body.application, body.organization.id, body.redirect_host, body.is_local, body.refusal],
      [{ id: planner.id, name: 'Planner', is_registered: true }, world.acme.id, 'app.example', false, null],
    )
    assert.deepEqual(body.asked, { scopes: ['api:read', 'tasks:read'], withheld: [], resource: null, mode: 'live' })
    await world.markWritten()
    const { location } = await member.must('POST', 'oauth/authorization', { request })
    const back = new URL(location)
    assert.deepEqual(
      [`${back.origin}${back.pathname}`, back.searchParams.get('state'), back.searchParams.get('iss')],
      [redirect_uri, 'st&te=1', url],
    )
    const reply = await exchange(url, planner, back.searchParams.get('code') ?? '', verifier)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(
      [reply.headers['cache-control'], reply.body.token_type, reply.body.expires_in, reply.body.scope],
      ['no-store', 'Bearer', limits.access_token_ms / 1000, 'api:read tasks:read'],
    )
    assert.match(reply.body.access_token, /^atr_at_live_/)
    await world.assertWritten({ events: [], audit: ['applications.authorize', 'access_tokens.create'] })
    const caller = (await me(reply.body.access_token)).body
    assert.deepEqual(
      [caller.owner, caller.scopes, caller.mode, caller.organization.id],
      [{ type: 'application', id: planner.id }, ['api:read', 'tasks:read'], 'live', world.acme.id],
    )
  })

  it('stores codes, tokens and secrets as digests only', async () => {
    const verifier = newVerifier()
    const code = await codeOf(owner, requestOf(planner, verifier))
    const { access_token, refresh_token } = await tokensFor(owner, planner)
    const rows = await Promise.all([
      reader().all(clients),
      reader().all(codes),
      reader().all(grants),
      reader().all(credentials),
    ])
    const text = JSON.stringify(rows)
    for (const secret of [code, access_token, refresh_token, vault.secret ?? '', verifier])
      assert.equal(text.includes(secret), false, secret)
  })

  it('accepts a code once: its second use ends the access that the first one gave', async () => {
    const verifier = newVerifier()
    const code = await codeOf(owner, requestOf(planner, verifier))
    const { access_token, refresh_token } = (await exchange(url, planner, code, verifier)).body
    assert.equal((await me(access_token)).status, 200)
    await world.markWritten()
    assert.deepEqual(failure(await exchange(url, planner, code, verifier)), [400, 'invalid_grant', grant_failed])
    await world.assertWritten({ events: [], audit: ['oauth_grants.delete'] })
    assert.deepEqual(refusal(await me(access_token)), [401, 'invalid_access_token'])
    assert.deepEqual(failure(await refresh(url, planner, refresh_token)), [400, 'invalid_grant', grant_failed])
  })

  it('gives tokens to one of several requests that send a code at the same time, and ends them', async () => {
    const verifier = newVerifier()
    const code = await codeOf(owner, requestOf(planner, verifier))
    const replies = await Promise.all([1, 2, 3, 4].map(() => exchange(url, planner, code, verifier)))
    const given = replies.filter(({ status }) => status === 200)
    assert.equal(given.length, 1)
    assert.equal((await me(given[0]?.body.access_token)).status, 401)
  })

  it('refuses a code after a minute, for another client, for another redirect URI, and without its verifier', async () => {
    const verifier = newVerifier()
    const code = await codeOf(owner, requestOf(planner, verifier))
    const other = await registerApplication(owner)
    const wrong = (application: Application, more: Record<string, string | undefined>) =>
      exchange(url, application, code, verifier, more).then(failure)
    assert.deepEqual(await wrong(other, {}), [400, 'invalid_grant', grant_failed])
    assert.deepEqual(await wrong(planner, { redirect_uri: `${redirect_uri}/` }), [
      400,
      'invalid_grant',
      'redirect_uri differs from that of the authorization request.',
    ])
    assert.deepEqual(await wrong(planner, { code_verifier: newVerifier() }), [
      400,
      'invalid_grant',
      'code_verifier does not fit the code_challenge.',
    ])
    for (const name of ['code', 'redirect_uri', 'code_verifier', 'client_id', 'grant_type'])
      assert.deepEqual(await wrong(planner, { [name]: undefined }), [
        400,
        'invalid_request',
        `The parameter \`${name}\` is missing.`,
      ])
    assert.equal((await wrong(planner, { code_verifier: 'short' }))[1], 'invalid_request')
    world.clock.advance(console_limits.oauth_code_ms)
    assert.deepEqual(await wrong(planner, {}), [400, 'invalid_grant', grant_failed])
  })

  it('replaces both tokens at a refresh; the credential keeps its id', async () => {
    const first = await tokensFor(owner, planner)
    const before = (await me(first.access_token)).body.id
    const second = (await refresh(url, planner, first.refresh_token)).body
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.deepEqual(refusal(await me(first.access_token)), [401, 'invalid_access_token'])
    assert.equal((await me(second.access_token)).body.id, before)
    world.clock.advance(limits.access_token_ms)
    assert.equal((await me(second.access_token)).status, 401)
    const third = (await refresh(url, planner, second.refresh_token, { scope: 'tasks:read' })).body
    assert.equal(third.scope, 'tasks:read')
    assert.deepEqual(failure(await refresh(url, planner, third.refresh_token, { scope: 'files:read' })), [
      400,
      'invalid_scope',
      'The grant does not have the scope `files:read`.',
    ])
    const fourth = (await refresh(url, planner, third.refresh_token)).body
    assert.equal(fourth.scope, 'api:read tasks:read tasks:write')
  })

  it('ends all access when a refresh token is used that was replaced', async () => {
    const first = await tokensFor(owner, planner)
    const second = (await refresh(url, planner, first.refresh_token)).body
    await world.markWritten()
    assert.deepEqual(failure(await refresh(url, planner, first.refresh_token)), [400, 'invalid_grant', grant_failed])
    await world.assertWritten({ events: [], audit: ['oauth_grants.delete'] })
    assert.equal((await me(second.access_token)).status, 401)
    assert.equal((await refresh(url, planner, second.refresh_token)).status, 400)
  })

  it('ends access that is not refreshed for 30 days', async () => {
    const { refresh_token } = await tokensFor(owner, planner)
    world.clock.advance(console_limits.oauth_refresh_ms)
    assert.deepEqual(failure(await refresh(url, planner, refresh_token)), [400, 'invalid_grant', grant_failed])
    await owner.signIn('owner@acme.example', password)
    await member.signIn('plain@acme.example', password)
  })

  it('needs the secret of a confidential application, in the header or in the body', async () => {
    const verifier = newVerifier()
    const exchanged = async (fields: Record<string, string | undefined>, headers: Record<string, string> = {}) => {
      const code = await codeOf(owner, requestOf(vault, verifier))
      const all = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier, ...fields }
      return await sendForm(url, '/oauth/token', all, headers)
    }
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(vault.id)}:${secret}`).toString('base64')}`,
    })
    assert.equal((await exchanged({}, basic(vault.secret ?? ''))).status, 200)
    assert.equal((await exchanged({ client_id: vault.id, client_secret: vault.secret ?? '' })).status, 200)
    const refused = [401, 'invalid_client', client_failed]
    const wrong = await exchanged({}, basic('guess'))
    assert.deepEqual(failure(wrong), refused)
    assert.equal(wrong.headers['www-authenticate'], 'Basic realm="Atrium"')
    assert.deepEqual(failure(await exchanged({ client_id: vault.id })), refused)
    const twice = await exchanged({ client_secret: vault.secret ?? '' }, basic(vault.secret ?? ''))
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request'])
  })

  it('does not tell a client that exists from one that does not', async () => {
    const ask = async (client_id: string, more: Record<string, string>) => {
      const fields = { grant_type: 'refresh_token', refresh_token: 'guess', client_id, ...more }
      const token = await sendForm(url, '/oauth/token', fields)
      const revoked = await sendForm(url, '/oauth/revoke', { token: 'guess', client_id, ...more })
      return [token, revoked].map(({ status, text }) => [status, text])
    }
    for (const more of [{}, { client_secret: 'guess' }] as Record<string, string>[]) {
      const missing = await ask(missing_client, more)
      for (const { id } of [planner, vault]) assert.deepEqual(await ask(id, more), missing)
    }
  })

  it('gives a new secret to an application; the one before stops at once', async () => {
    const app = await registerApplication(owner, { kind: 'confidential' })
    const { refresh_token } = await tokensFor(owner, app)
    const { secret } = await owner.must('POST', `applications/${app.id}/secret`, {})
    assert.deepEqual(failure(await refresh(url, app, refresh_token)), [401, 'invalid_client', client_failed])
    assert.equal((await refresh(url, { ...app, secret }, refresh_token)).status, 200)
    const none = await owner.post(`applications/${planner.id}/secret`, {})
    assert.deepEqual(refusal(none), [409, 'resource_conflict', 'id'])
  })

  it('leads back only to registered addresses, of which only a loopback port may differ', async () => {
    const local = ['http://127.0.0.1/back', 'http://[::1]:8080/back', 'http://localhost/back?x=1']
    const app = await registerApplication(owner, { redirect_uris: [redirect_uri, ...local, 'com.example.app:/back'] })
    const status = async (uri: string) =>
      (await look(owner, requestOf(app, newVerifier(), { redirect_uri: uri }))).status
    const right = [
      redirect_uri,
      'http://127.0.0.1:49152/back',
      'http://[::1]/back',
      'http://[::1]:1/back',
      'http://localhost:3000/back?x=1',
      'com.example.app:/back',
    ]
    for (const uri of right) assert.equal(await status(uri), 200, uri)
    const wrong = [
      'https://app.example/back/',
      'https://app.example/backdoor',
      'https://app.example/Back',
      'https://app.example:444/back',
      'https://evil.app.example/back',
      'https://app.example@evil.example/back',
      'http://app.example/back',
      'https://app.example/back?more=1',
      'http://127.0.0.1:49152/other',
      'http://127.0.0.2/back',
      'http://localhost:3000/back',
      'http://localhost.evil.example:3000/back?x=1',
      'http://127.0.0.1:1@evil.example/back',
      'com.example.app:/other',
      'javascript:alert(1)',
    ]
    for (const uri of wrong) {
      const reply = await look(owner, requestOf(app, newVerifier(), { redirect_uri: uri }))
      assert.deepEqual(refusal(reply), [400, 'invalid_query_parameter', 'redirect_uri'], uri)
      assert.ok(reply.body.error.message.includes(uri.slice(0, 20)), reply.body.error.message)
      assert.equal((await allow(owner, requestOf(app, newVerifier(), { redirect_uri: uri }))).status, 400, uri)
    }
  })

  it('registers no address that leads elsewhere than it says', async () => {
    const refused = [
      'http://app.example/back',
      'https://app.example/back#part',
      'https://user:word@app.example/back',
      'javascript:alert(1)',
      'data:text/html,x',
      'myapp:/back',
      '/back',
      'https://app.example/bäck',
      `https://app.example/${'x'.repeat(512)}`,
    ]
    for (const uri of refused) {
      const body = {
        name: 'X',
        scopes: ['tasks:read'],
        sign_in: { kind: 'public', redirect_uris: [redirect_uri, uri] },
      }
      const reply = await owner.post('applications', body)
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body', 'sign_in.redirect_uris[1]'], uri)
    }
  })

  it('tells a fault of the request to the application only by the person’s click', async () => {
    const cases: [Record<string, string | undefined>, string, RegExp][] = [
      [{ response_type: 'token' }, 'unsupported_response_type', /`token`/],
      [{ response_type: undefined }, 'invalid_request', /`response_type` is missing/],
      [{ code_challenge: undefined }, 'invalid_request', /`code_challenge` is missing/],
      [{ code_challenge_method: 'plain' }, 'invalid_request', /`plain`/],
      [{ code_challenge_method: undefined }, 'invalid_request', /`plain`/],
      [{ code_challenge: 'short' }, 'invalid_request', /43 characters/],
      [{ scope: 'tasks:read tasks:fly' }, 'invalid_scope', /`tasks:fly`/],
      [{ scope: 'files:read' }, 'invalid_scope', /not registered for the scope `files:read`/],
      [{ resource: 'https://evil.example' }, 'invalid_target', /`https:\/\/evil\.example`/],
      [{ response_mode: 'fragment' }, 'invalid_request', /`fragment`/],
      [{ request_uri: 'https://x.example' }, 'invalid_request', /`request_uri`/],
      [{ state: 'x'.repeat(2049) }, 'invalid_request', /2048 characters/],
    ]
    for (const [more, error, description] of cases) {
      const request = requestOf(planner, newVerifier(), more)
      const { status, body } = await look(owner, request)
      assert.deepEqual([status, body.asked, body.refusal?.error], [200, null, error])
      assert.match(body.refusal.error_description, description)
      const back = new URL(body.refusal.location).searchParams
      assert.deepEqual([back.get('error'), back.get('iss')], [error, url])
      assert.deepEqual(refusal(await allow(owner, request)), [400, 'invalid_request_body', 'request'])
    }
    const repeated = `${requestOf(planner, newVerifier())}&scope=a&scope=b`
    assert.deepEqual(refusal(await look(owner, repeated)), [400, 'invalid_query_parameter'])
  })

  it('tells the application when the person denies, and has stored nothing', async () => {
    await world.markWritten()
    const { denied } = (await look(owner, requestOf(planner, newVerifier()))).body
    const back = new URL(denied).searchParams
    assert.deepEqual([back.get('error'), back.get('state'), back.get('code')], ['access_denied', 'st&te=1', null])
    await world.assertWritten({ events: [], audit: [] })
  })

  it('needs a session, a recent confirmation and the page of the console', async () => {
    const request = requestOf(planner, newVerifier())
    const stranger = new Visitor(url)
    await stranger.arrive()
    assert.deepEqual(refusal(await look(stranger, request)), [401, 'session_required'])
    assert.deepEqual(refusal(await allow(stranger, request)), [401, 'session_required'])
    const forged = await owner.post('oauth/authorization', { request }, { origin: 'https://app.example' })
    assert.deepEqual(refusal(forged), [403, 'csrf_failed', 'Origin'])
    world.clock.advance(console_limits.step_up_ms)
    assert.deepEqual(refusal(await allow(owner, request)), [403, 'step_up_required'])
    await confirm()
    await confirm(member)
    assert.equal((await allow(owner, request)).status, 200)
    const page = await world.get(`/oauth/authorize?${request}`, { key: null, headers: { accept: 'text/html' } })
    assert.match(page.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/)
    assert.equal(page.headers['referrer-policy'], 'no-referrer')
  })

  it('is for members: a guest allows nothing, and loses what was allowed before', async () => {
    const { id: workspace } = await world.make('/v1/workspaces', { title: 'Guests' })
    const { id: project } = await world.make('/v1/projects', { workspace, name: 'Shown' })
    const guest = await join(owner, 'guest@acme.example', 'guest', [project])
    assert.deepEqual(refusal(await look(guest, requestOf(planner, newVerifier()))), [403, 'role_required'])
    assert.deepEqual(refusal(await allow(guest, requestOf(planner, newVerifier()))), [403, 'role_required'])
    const person = await join(owner, 'later@acme.example', 'member')
    const { access_token, refresh_token } = await tokensFor(person, planner)
    const { user } = await person.arrive()
    await owner.must('PATCH', `people/${user.id}`, { role: 'guest', projects: [project] })
    assert.deepEqual(refusal(await me(access_token)), [401, 'invalid_access_token'])
    assert.deepEqual(failure(await refresh(url, planner, refresh_token)), [400, 'invalid_grant', grant_failed])
  })

  it('gives no scope that the person does not have, now or later', async () => {
    const request = requestOf(vault, newVerifier())
    const { asked } = (await look(member, request)).body
    assert.deepEqual([asked.scopes, asked.withheld], [['api:read', 'tasks:read'], ['api:manage']])
    assert.equal((await tokensFor(member, vault)).scope, 'api:read tasks:read')
    const only = (await look(member, requestOf(vault, newVerifier(), { scope: 'api:manage' }))).body.refusal
    assert.equal(only.error, 'invalid_scope')
    const admin = await join(owner, 'admin@acme.example', 'admin')
    const { access_token } = await tokensFor(admin, vault)
    assert.equal((await world.get('/v1/api_keys', { key: access_token })).status, 200)
    const { user } = await admin.arrive()
    await owner.must('PATCH', `people/${user.id}`, { role: 'member' })
    assert.deepEqual(refusal(await world.get('/v1/api_keys', { key: access_token })), [403, 'insufficient_scope'])
  })

  it('ends with the membership of the person, and with a link that resets it', async () => {
    const person = await join(owner, 'leaves@acme.example', 'member')
    const { access_token, refresh_token } = await tokensFor(person, planner)
    const { user } = await person.arrive()
    await owner.must('PATCH', `people/${user.id}`, { status: 'inactive' })
    assert.equal((await me(access_token)).status, 401)
    assert.equal((await refresh(url, planner, refresh_token)).status, 400)

    const other = await join(owner, 'reset@acme.example', 'member')
    const tokens = await tokensFor(other, planner)
    const link = await createOperatorLink(world.services, { organization: world.acme.id, email: 'reset@acme.example' })
    await new Visitor(url).arrive()
    const back = new Visitor(url)
    await back.arrive()
    await back.must('POST', 'set-up', { token: tokenOf(link.url), password })
    world.services.credentials.forget()
    assert.equal((await me(tokens.access_token)).status, 401)
    assert.equal((await refresh(url, planner, tokens.refresh_token)).status, 400)
  })

  it('is listed for the person, who ends it at once; other people’s access is missing', async () => {
    const person = await join(owner, 'lists@acme.example', 'member')
    const { access_token, refresh_token } = await tokensFor(person, planner)
    const { data } = await person.must('GET', 'oauth/grants')
    assert.deepEqual(
      data.map((grant: { application: object; scopes: string[]; mode: string }) => [grant.application, grant.scopes]),
      [[{ id: planner.id, name: 'Planner' }, ['api:read', 'tasks:read', 'tasks:write']]],
    )
    const id = data[0].id
    const foreign = await owner.delete(`oauth/grants/${id}`)
    assert.deepEqual(refusal(foreign), [404, 'resource_not_found', 'id'])
    await world.markWritten()
    await person.must('DELETE', `oauth/grants/${id}`)
    await world.assertWritten({ events: [], audit: ['oauth_grants.delete'] })
    assert.equal((await me(access_token)).status, 401)
    assert.equal((await refresh(url, planner, refresh_token)).status, 400)
    assert.deepEqual((await person.must('GET', 'oauth/grants')).data, [])
  })

  it('is ended by its application by either token, and not by another application', async () => {
    for (const which of ['access_token', 'refresh_token'] as const) {
      const tokens = await tokensFor(owner, vault)
      const revoke = (application: Application, more: Record<string, string> = {}) =>
        sendForm(url, '/oauth/revoke', {
          token: tokens[which],
          client_id: application.id,
          client_secret: application.secret ?? undefined,
          ...more,
        })
      assert.equal((await revoke(planner)).status, 200)
      assert.deepEqual(failure(await revoke({ ...vault, secret: null })), [401, 'invalid_client', client_failed])
      assert.equal((await me(tokens.access_token)).status, 200)
      assert.equal((await revoke(vault)).status, 200)
      assert.equal((await me(tokens.access_token)).status, 401)
      assert.equal((await refresh(url, vault, tokens.refresh_token)).status, 400)
      assert.equal((await revoke(vault)).status, 200)
    }
    const missing = await sendForm(url, '/oauth/revoke', { client_id: planner.id })
    assert.deepEqual(failure(missing), [400, 'invalid_request', 'The parameter `token` is missing.'])
  })

  it('ends with its application', async () => {
    const app = await registerApplication(owner)
    const verifier = newVerifier()
    const { access_token, refresh_token } = await tokensFor(member, app)
    const code = await codeOf(member, requestOf(app, verifier))
    await owner.must('DELETE', `applications/${app.id}`, { mode: 'live' })
    assert.equal((await me(access_token)).status, 401)
    assert.equal((await refresh(url, app, refresh_token)).status, 400)
    assert.equal((await exchange(url, app, code, verifier)).status, 400)
    assert.deepEqual(refusal(await look(owner, requestOf(app, verifier))), [404, 'resource_not_found', 'client_id'])
  })

  it('does not exist for another organization', async () => {
    const stranger = await ownerOf(world, world.globex)
    const of = async (id: string) => {
      const { body } = await look(stranger, requestOf({ id }, newVerifier()))
      return { ...body.error, request_id: '', message: body.error.message.replace(id, '') }
    }
    assert.deepEqual(await of(planner.id), await of(missing_client))
  })

  it('keeps the data set of its application', async () => {
    const app = await registerApplication(owner, { mode: 'test' })
    const { access_token } = await tokensFor(owner, app)
    assert.match(access_token, /^atr_at_test_/)
    assert.equal((await me(access_token)).body.mode, 'test')
    const list = (await owner.must('GET', 'applications?mode=test')).data
    assert.deepEqual(list[0].sign_in, { kind: 'public', redirect_uris: [redirect_uri], secret_hint: null })
  })

  it('limits a token to the resource that was named', async () => {
    const api = await tokensFor(owner, planner, { resource: `${url}/` })
    assert.equal((await me(api.access_token)).status, 200)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const mcp = (key: string) =>
      world.post('/mcp', list, {
        key,
        idempotencyKey: null,
        headers: { accept: 'application/json, text/event-stream' },
      })
    assert.deepEqual(refusal(await mcp(api.access_token)), [401, 'invalid_access_token'])
    const tools = await tokensFor(owner, planner, { resource: `${url}/mcp` })
    assert.equal((await mcp(tools.access_token)).status, 200)
    assert.deepEqual(refusal(await me(tools.access_token)), [401, 'invalid_access_token'])
    assert.deepEqual(failure(await refresh(url, planner, tools.refresh_token, { resource: url })), [
      400,
      'invalid_target',
      'resource differs from the one that the person has allowed.',
    ])
  })

  it('reads forms only, each parameter once', async () => {
    const send = (raw: string, type = 'application/x-www-form-urlencoded') =>
      sendForm(url, '/oauth/token', {}, { 'content-type': type }).then(() =>
        world.post('/oauth/token', undefined, {
          key: null,
          idempotencyKey: null,
          raw,
          headers: { 'content-type': type },
        }),
      )
    assert.deepEqual(failure(await send('{}', 'application/json')), [
      400,
      'invalid_request',
      'Content-Type is `application/json`. Use application/x-www-form-urlencoded, without compression.',
    ])
    assert.deepEqual(failure(await send('grant_type=a&grant_type=b')), [
      400,
      'invalid_request',
      'The parameter `grant_type` is repeated. Send it once.',
    ])
    assert.deepEqual(failure(await send('grant_type=pass"word')), [
      400,
      'unsupported_grant_type',
      'grant_type cannot be `pass?word`. Use `authorization_code` or `refresh_token`.',
    ])
    assert.equal((await send(`grant_type=${'x'.repeat(20_000)}`)).status, 400)
  })

  it('says in its metadata what it supports', async () => {
    const { body } = await world.get('/.well-known/oauth-authorization-server', { key: null })
    assert.deepEqual(
      [body.issuer, body.code_challenge_methods_supported, body.authorization_response_iss_parameter_supported],
      [url, ['S256'], true],
    )
    for (const [path, resource] of [
      ['', url],
      ['/mcp', `${url}/mcp`],
    ]) {
      const found = await world.get(`/.well-known/oauth-protected-resource${path}`, { key: null })
      assert.deepEqual([found.body.resource, found.body.authorization_servers], [resource, [url]])
    }
  })

  it('registers programs by themselves: public, without api:manage, deleted when unused', async () => {
    const register = (body: object) => world.post('/oauth/register', body, { key: null, idempotencyKey: null })
    const made = await register({
      client_name: 'Agent',
      redirect_uris: ['http://localhost:3334/back'],
      token_endpoint_auth_method: 'client_secret_basic',
    })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.body.token_endpoint_auth_method, made.body.client_secret], ['none', undefined])
    assert.equal(made.body.scope.includes('api:manage'), false)
    const wrong: [object, string, RegExp][] = [
      [{}, 'invalid_redirect_uri', /redirect_uris/],
      [{ redirect_uris: ['http://evil.example/'] }, 'invalid_redirect_uri', /redirect_uris\[0\] `http:\/\/evil/],
      [{ redirect_uris: [redirect_uri], scope: 'api:manage' }, 'invalid_client_metadata', /`api:manage`/],
      [{ redirect_uris: [redirect_uri], grant_types: ['password'] }, 'invalid_client_metadata', /password/],
      [{ redirect_uris: [redirect_uri], client_name: 'a\u202eb' }, 'invalid_client_metadata', /client_name/],
      [{ redirect_uris: Array(11).fill(redirect_uri) }, 'invalid_redirect_uri', /1 to 10/],
    ]
    for (const [body, error, description] of wrong) {
      const reply = await register(body)
      assert.deepEqual([reply.status, reply.body.error], [400, error], reply.text)
      assert.match(reply.body.error_description, description)
    }
    const used = await register({ client_name: 'Used', redirect_uris: [redirect_uri] })
    const app = { id: used.body.client_id, secret: null }
    const { application } = (await look(owner, requestOf(app, newVerifier()))).body
    assert.deepEqual(application, { id: app.id, name: 'Used', is_registered: false })
    const { refresh_token } = await tokensFor(owner, app)
    const sweep = sweeps.find(({ name }) => name === 'session_sweep')
    world.clock.advance(console_limits.oauth_unused_ms + 1)
    await sweep?.run(world.services, 1000, AbortSignal.timeout(60_000) as never)
    const left = (await reader().all(clients)).filter(({ organization }) => organization === null)
    assert.deepEqual(
      left.map(({ id }) => id),
      [app.id],
    )
    assert.equal((await refresh(url, app, refresh_token)).status, 200)
    for (let i = 2; i < console_limits.oauth_registrations_max; i++)
      assert.equal((await register({ redirect_uris: [redirect_uri] })).status, 201)
    for (let i = 0; i < 2; i++) await register({ redirect_uris: [redirect_uri] })
    const over = await register({ redirect_uris: [redirect_uri] })
    assert.deepEqual([over.status, over.body.error], [429, 'temporarily_unavailable'])
    assert.ok(Number(over.headers['retry-after']) > 0)
  })
})

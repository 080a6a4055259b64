/** Rules for every endpoint of `/app/api`, tested on each declaration: access, origin, parameters and body. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Endpoint } from '../../src/console/endpoint.ts'
import { endpoints } from '../../src/console/endpoints.ts'
import { console_limits } from '../../src/console/limits.ts'
import { call } from '../call.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, Visitor } from './visitor.ts'

const pathOf = (endpoint: Endpoint) =>
  endpoint.path.map((part) => (part.startsWith('{') ? 'nothing_1' : part)).join('/')
const writes = endpoints.filter((endpoint) => endpoint.method !== 'GET')

onEveryWorld('Every endpoint of the console', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let member: Visitor
  let tired: Visitor

  before(async () => {
    member = await join(owner, 'member@acme.example', 'member')
    tired = new Visitor(world.server.url)
    await tired.signIn('owner@acme.example', password)
    world.clock.advance(console_limits.step_up_ms)
    await owner.must('POST', 'step-up', { password })
    await member.must('POST', 'step-up', { password })
  })

  const send = (visitor: Visitor, endpoint: Endpoint, options: Parameters<Visitor['send']>[2] = {}) => {
    const sent = endpoint.body === null || endpoint.method === 'GET' ? {} : { body: {} }
    return visitor.send(endpoint.method, pathOf(endpoint), { ...sent, ...options })
  }

  it('has a unique name and a method that the server routes', () => {
    const names = endpoints.map((endpoint) => endpoint.name)
    assert.equal(new Set(names).size, names.length)
    for (const { method } of endpoints) assert.match(method, /^(GET|POST|PATCH|DELETE)$/)
  })

  it('that writes refuses a missing, foreign or hidden origin', async () => {
    for (const endpoint of writes) {
      for (const origin of [null, 'https://evil.example', 'null', `${world.server.url}.evil.example`]) {
        const reply = await send(owner, endpoint, { origin })
        assert.deepEqual(refusal(reply), [403, 'csrf_failed', 'Origin'], `${endpoint.name} from ${origin}`)
      }
      const cross = await send(owner, endpoint, { origin: null, headers: { 'sec-fetch-site': 'same-site' } })
      assert.deepEqual(refusal(cross), [403, 'csrf_failed', 'Origin'], endpoint.name)
    }
  })

  it('that writes refuses a request without the session’s X-CSRF', async () => {
    const visitor = new Visitor(world.server.url)
    const { csrf: anonymous } = await visitor.arrive()
    for (const endpoint of writes) {
      for (const csrf of [null, '', 'wrong', anonymous, member.csrf]) {
        const reply = await send(owner, endpoint, { csrf })
        assert.deepEqual(refusal(reply), [403, 'csrf_failed', 'X-CSRF'], `${endpoint.name} with ${csrf}`)
      }
      const twice = await send(owner, endpoint, { csrf: null, headers: { 'x-csrf': [String(owner.csrf), 'wrong'] } })
      assert.deepEqual(refusal(twice), [403, 'csrf_failed', 'X-CSRF'], endpoint.name)
    }
  })

  it('that needs a session refuses a signed-out request, also with a credential of /v1', async () => {
    const { key, testKey } = world.acme
    const token = await owner.token()
    const visitor = new Visitor(world.server.url)
    await visitor.arrive()
    for (const endpoint of endpoints.filter(({ needs }) => needs !== 'nothing')) {
      for (const secret of [null, key, testKey, token]) {
        const headers: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` }
        const reply = await send(visitor, endpoint, { headers })
        const expected = endpoint.operator ? [404, 'resource_not_found'] : [401, 'session_required']
        assert.deepEqual(refusal(reply), expected, endpoint.name)
      }
    }
  })

  it('that needs a role refuses members, and admins if it needs an owner', async () => {
    const admin = await join(owner, 'admin@acme.example', 'admin')
    for (const endpoint of endpoints) {
      const { role } = endpoint
      if (role === null) continue
      assert.deepEqual(refusal(await send(member, endpoint)), [403, 'role_required'], endpoint.name)
      if (role !== 'owner') continue
      assert.deepEqual(refusal(await send(admin, endpoint)), [403, 'role_required'], endpoint.name)
    }
  })

  it('that needs a step-up refuses one from ten minutes ago', async () => {
    const confirmed = endpoints.filter(({ needs }) => needs === 'step_up')
    assert.ok(confirmed.length >= 6)
    for (const endpoint of confirmed) {
      assert.deepEqual(refusal(await send(tired, endpoint)), [403, 'step_up_required'], endpoint.name)
    }
  })

  it('refuses unknown parameters and fields by name', async () => {
    for (const endpoint of endpoints) {
      const asked = await owner.send(
        endpoint.method,
        `${pathOf(endpoint)}?zzz=1`,
        endpoint.body === null ? {} : { body: {} },
      )
      assert.deepEqual(refusal(asked), [400, 'invalid_query_parameter', 'zzz'], endpoint.name)
      if (endpoint.method === 'GET') continue
      const reply = await send(owner, endpoint, { body: { zzz: 1 } })
      assert.deepEqual(refusal(reply).slice(0, 2), [400, 'invalid_request_body'], endpoint.name)
      if (endpoint.body === null) continue
      const { param, details = [] } = reply.body.error
      const named = [param, ...details.map((fault: { param: string }) => fault.param)]
      assert.ok(named.includes('zzz'), `${endpoint.name}: ${reply.text}`)
    }
  })

  it('with a body accepts JSON only, up to its limit', async () => {
    for (const endpoint of endpoints.filter((each) => each.body !== null)) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
        const reply = await send(owner, endpoint, { raw: '{}', headers: { 'content-type': type } })
        assert.deepEqual(refusal(reply), [400, 'invalid_request_body', 'Content-Type'], endpoint.name)
      }
      const large = JSON.stringify({ zzz: 'x'.repeat(endpoint.body_bytes_max) })
      const reply = await send(owner, endpoint, { raw: large })
      assert.deepEqual(refusal(reply), [400, 'invalid_request_body'], endpoint.name)
      assert.match(reply.body.error.message, new RegExp(`limit of ${endpoint.body_bytes_max} bytes`))
    }
  })

  it('sends headers against caching, framing, sniffing and referrers, and the request’s id', async () => {
    for (const endpoint of endpoints) {
      for (const reply of [await send(owner, endpoint), await send(new Visitor(world.server.url), endpoint)]) {
        assert.notEqual(reply.status, 500, endpoint.name)
        const { headers } = reply
        assert.equal(headers['cache-control'], 'no-store', endpoint.name)
        assert.equal(headers['content-type'], 'application/json; charset=utf-8')
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['referrer-policy'], 'no-referrer')
        assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
        assert.equal(headers['access-control-allow-origin'], undefined)
        assert.match(headers['x-request-id'] ?? '', /^req_/)
        if (reply.status !== 200) assert.equal(reply.body.error.request_id, headers['x-request-id'])
      }
      if (endpoint.name === 'DELETE session') await owner.signIn('owner@acme.example', password)
    }
  })

  it('answers 404 at other paths; a wrong method names the allowed ones', async () => {
    for (const path of ['', 'nothing', 'session/', 'session/x', 'sessions/a%2Fb', 'sessions/..', 'people/']) {
      assert.deepEqual(refusal(await owner.get(path)), [404, 'resource_not_found'], path)
    }
    const reply = await owner.send('PUT', 'session', { body: {} })
    assert.deepEqual([...refusal(reply), reply.headers.allow], [404, 'resource_not_found', 'GET, POST, DELETE'])
    const { status } = await call(world.server.url, 'OPTIONS', '/app/api/session', { key: null, idempotencyKey: null })
    assert.equal(status, 404, 'a preflight gets no answer, so other sites cannot send custom headers')
  })

  it('refuses a credential in its URL', async () => {
    assert.equal((await owner.get(`session?key=${world.acme.key}`)).status, 401)
  })
})

onEveryWorld('Every operation of /v1', (world) => {
  it('accepts Bearer credentials only and ignores the session cookie', async () => {
    const owner = await ownerOf(world)
    const headers = { cookie: `__Host-atrium=${owner.cookie}`, origin: owner.origin, 'x-csrf': String(owner.csrf) }
    for (const path of ['/v1/me', '/v1/tasks', '/v1/api_keys']) {
      const reply = await world.get(path, { key: null, headers })
      assert.deepEqual(refusal(reply), [401, 'missing_api_key'], path)
    }
    const written = await world.post('/v1/workspaces', { title: 'Stolen' }, { key: null, headers })
    assert.deepEqual(refusal(written), [401, 'missing_api_key'])
    const basic = await world.get('/v1/me', {
      key: null,
      headers: { ...headers, authorization: `Bearer ${owner.cookie}` },
    })
    assert.deepEqual(refusal(basic), [401, 'invalid_api_key'])
    const mcp = await world.post('/mcp', {}, { key: null, headers })
    assert.equal(mcp.status, 401)
  })
})

/** `/mcp` over HTTP: admission, refusals, and that no input causes a 5xx. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { CallOptions, Reply } from '../../test/call.ts'
import { assertRefused } from '../../test/conformance/answers.ts'
import { type Era, overHttp } from '../../test/mcp.ts'
import { onEveryWorld } from '../../test/world.ts'
import { core_tools } from './core-tools.ts'
import { mcp_limits } from './limits.ts'
import { tools } from './tool.ts'

const accept = 'application/json, text/event-stream'
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** The JSON-RPC message of an answer, which may be an event. */
function messageOf(reply: Reply) {
  return reply.body ?? JSON.parse(/^data: (.+)$/m.exec(reply.text)?.[1] ?? 'null')
}

onEveryWorld('/mcp', (world) => {
  const post = (body: unknown, options: CallOptions = {}) =>
    world.post('/mcp', body, { idempotencyKey: null, ...options, headers: { accept, ...options.headers } })
  const tool = (name: unknown, args: unknown) =>
    post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

  it('answers 401 with WWW-Authenticate in the envelope without a valid credential', async () => {
    const gone = await world.key()
    await world.delete(`/v1/api_keys/${gone.id}`)
    for (const [key, code] of [
      [null, 'missing_api_key'],
      ['nonsense', 'invalid_api_key'],
      [gone.secret, 'invalid_api_key'],
      [`atr_at_live_${'x'.repeat(36)}`, 'invalid_access_token'],
    ] as const) {
      const reply = await post(list, { key })
      assertRefused(reply, code, null, 'mcp')
      // Programs find out here how a person signs in to them (RFC 9728).
      const metadata = `${world.server.url}/.well-known/oauth-protected-resource/mcp`
      assert.equal(reply.headers['www-authenticate'], `Bearer resource_metadata="${metadata}"`)
    }
  })

  it('reads the credential from the Authorization header only', async () => {
    assertRefused(
      await world.post(`/mcp?key=${world.acme.key}`, list, { headers: { accept } }),
      'invalid_api_key',
      null,
      'URL',
    )
    const headers = { accept, cookie: `key=${world.acme.key}`, 'x-api-key': world.acme.key }
    assertRefused(await post(list, { key: null, headers }), 'missing_api_key', null, 'elsewhere')
  })

  it('lists the core tools under 40 kB at /mcp?tools=core, and refuses another selection', async () => {
    const at = (path: string) => world.post(path, list, { idempotencyKey: null, headers: { accept } })
    const small = await at('/mcp?tools=core')
    const names = messageOf(small).result.tools.map(({ name }: { name: string }) => name)
    assert.deepEqual(new Set(names), core_tools)
    assert.ok(Buffer.byteLength(small.text) < 40_000, `${Buffer.byteLength(small.text)} bytes`)
    for (const query of ['tools=corn', 'tools=', 'tools=core&tools=core']) {
      assertRefused(await at(`/mcp?${query}`), 'invalid_query_parameter', 'tools', query)
    }
  })

  it('refuses a revoked key at once', async () => {
    const { id, secret } = await world.key()
    assert.equal((await post(list, { key: secret })).status, 200)
    await world.delete(`/v1/api_keys/${id}`)
    assertRefused(await post(list, { key: secret }), 'invalid_api_key', null, 'mcp')
  })

  it('refuses pages of other origins and admits programs and pages of this machine', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example:4010', 'garbage']) {
      const reply = await post(list, { headers: { origin } })
      assert.equal(reply.status, 403, origin)
      assert.match(reply.body.error.message, /Origin/)
    }
    for (const origin of [world.server.url, 'http://localhost:6274']) {
      assert.equal((await post(list, { headers: { origin } })).status, 200, origin)
    }
    const { settings } = world.services
    const own = settings.publicUrl
    settings.publicUrl = 'https://atrium.example'
    assert.equal((await post(list, { headers: { origin: 'https://atrium.example' } })).status, 200)
    assert.equal((await post(list, { headers: { origin: 'http://localhost:6274' } })).status, 403)
    settings.publicUrl = own
  })

  it('has no sessions: answers GET and DELETE with 405 and ignores session ids', async () => {
    for (const method of ['GET', 'DELETE']) {
      const reply = await world.call(method, '/mcp', { headers: { accept } })
      assert.equal(reply.status, 405)
    }
    const reply = await post(list, { headers: { 'mcp-session-id': 'of-another-server' } })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['mcp-session-id'], undefined)
    assertRefused(await world.call('PUT', '/mcp'), 'resource_not_found', null, 'PUT')
  })

  it('refuses an invalid body in the envelope and an invalid message in the protocol', async () => {
    const big = JSON.stringify({ ...list, params: { x: 'x'.repeat(mcp_limits.mcp_body_bytes_max) } })
    assertRefused(await post(undefined, { raw: big }), 'invalid_request_body', null, 'big')
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(99_000)}${']'.repeat(99_000)}}`
    for (const [raw, status, code] of [
      ['{', 400, -32700],
      ['', 400, -32700],
      [Buffer.from([0x22, 0xff, 0x22]), 400, -32700],
      ['{"jsonrpc":"2.0","jsonrpc":"2.0"}', 400, -32700],
      [deep, 400, -32700],
      ['[]', 400, -32600],
      [JSON.stringify([list, list]), 400, -32600],
      ['{}', 400, -32600],
      ['7', 400, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/explode"}', 200, -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 200, -32602],
    ] as const) {
      const reply = await post(undefined, { raw })
      const name = String(raw).slice(0, 60)
      assert.equal(reply.status, status, `${name}: ${reply.text}`)
      assert.equal(messageOf(reply).error.code, code, `${name}: ${reply.text}`)
    }
    assert.equal((await post(list, { headers: { 'content-type': 'text/plain' } })).status, 415)
    assert.equal((await post(list, { headers: { accept: 'text/html' } })).status, 406)
    assert.equal((await post(list, { headers: { 'mcp-protocol-version': '1999-01-01' } })).status, 400)
    assert.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
  })

  it('answers with the request id of the call in the request log', async () => {
    const reply = await tool('workspaces_list', {})
    const id = reply.headers['x-request-id']
    assert.equal(messageOf(reply).result._meta['atrium/request_id'], id)
    const logged = (await world.get(`/v1/request_logs/${id}`)).body
    assert.deepEqual([logged.operation, logged.path, logged.charged], ['workspaces.list', '/v1/workspaces', 5])
    assert.deepEqual(logged.query_parameters, ['fields'])
  })

  it('keeps organizations apart', async () => {
    const { id } = await world.make('/v1/workspaces', { title: 'Ours' })
    const theirs = await overHttp(world.server.url, world.globex.key)
    const error = await theirs.fail('workspaces_retrieve', { id })
    const never = await theirs.fail('workspaces_retrieve', { id: 'wsp_01J4ZK3V8M0000000000000000' })
    assert.deepEqual({ ...error, request_id: '' }, { ...never, request_id: '' })
    await theirs.close()
  })

  for (const era of ['handshake', 'no handshake'] as const satisfies readonly Era[]) {
    it(`serves clients of the protocol with ${era}`, async () => {
      const agent = await overHttp(world.server.url, world.acme.key, era)
      assert.match(agent.client.getInstructions() ?? '', /^Atrium manages/)
      assert.equal(agent.client.getServerVersion()?.name, 'atrium')
      assert.equal((await agent.tools()).length, tools.size + 1)
      assert.equal((await agent.do('me_retrieve')).organization.id, world.acme.id)
      await agent.close()
    })
  }

  it('opens no stream for subscriptions', async () => {
    const agent = await overHttp(world.server.url, world.acme.key, 'no handshake')
    await assert.rejects(agent.client.listen({ toolsListChanged: true }))
    await agent.close()
  })

  it('never answers with a 5xx, for any arguments of any tool', async () => {
    const names = fc.oneof(fc.constantFrom(...tools.keys()), fc.string(), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.oneof(
          fc.dictionary(
            fc.constantFrom(
              'id',
              'workspace',
              'limit',
              'fields',
              'title',
              'data',
              'if_match',
              'idempotency_key',
              'dry_run',
              '__proto__',
            ),
            fc.jsonValue(),
          ),
          fc.jsonValue(),
        ),
        async (name, args) => {
          const reply = await tool(name, args)
          assert.ok(reply.status < 500, reply.text)
          const message = messageOf(reply)
          assert.notEqual(message.error?.code, -32603, reply.text)
          const status = message.result?.structuredContent?.error?.status
          assert.ok(status === undefined || status < 500, reply.text)
        },
      ),
      { numRuns: 300 },
    )
  })
})

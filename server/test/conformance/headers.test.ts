/** The headers of every answer (contract/01#transport). */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, sendCall, type Things, urlOf } from '../things.ts'
import { openWorld, type World } from '../world.ts'
import { head, sendBytes } from './wire.ts'

const kept = 'private, no-cache'
const notKept = 'private, no-store'

onEveryEngine('answer headers', (engine) => {
  let world: World
  let things: Things
  const ids = new Set<string>()
  before(async () => {
    world = await openWorld(engine)
    things = await populate(world)
  })
  after(() => world.close())

  function assertHeaders(reply: Reply, cacheControl: string, about: string): void {
    const { headers, status } = reply
    assert.equal(headers['cache-control'], cacheControl, about)
    assert.equal(headers.vary, 'Authorization, Service-Version', about)
    const id = String(headers['x-request-id'])
    assert.match(id, /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, about)
    assert.ok(!ids.has(id), `${about}: two requests have the same id`)
    ids.add(id)
    assert.equal(headers['x-powered-by'], undefined)
    assert.equal(headers.server, undefined)
    assert.equal(headers['set-cookie'], undefined)
    if (status === 304) {
      for (const name of ['content-type', 'service-version', 'x-ratelimit-cost', 'content-length']) {
        assert.equal(headers[name], undefined, `${about}: ${name}`)
      }
      return
    }
    assert.equal(headers['service-version'], '2026-08-03', about)
    assert.ok(status === 200 || headers['x-ratelimit-cost'] === undefined, about)
    assert.equal(headers['idempotent-replayed'], undefined, about)
  }

  for (const operation of catalogue) {
    it(`of ${operation.id} are complete on success and on refusal`, async () => {
      const reads = operation.method === 'GET'
      const cacheControl = !reads || operation.streams || operation.id === 'jobs.retrieve' ? notKept : kept
      const call = await things.call(operation)
      const reply = await sendCall(things, call)
      assertHeaders(reply, cacheControl, operation.id)
      const type = operation.streams ? /^text\/event-stream/ : /^application\/json; charset=utf-8$/
      assert.match(String(reply.headers['content-type']), type)
      assert.equal(reply.headers['x-ratelimit-cost'], String(operation.credits))
      assert.equal(reply.headers.etag !== undefined, reads, 'ETag belongs on every GET and on nothing else')
      if (!operation.streams) {
        assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.text)))
      }
      if (reads && !operation.streams) {
        const etag = String(reply.headers.etag)
        assertHeaders(await sendCall(things, call, { headers: { 'if-none-match': etag } }), cacheControl, '304')
      }
      for (const options of [{ key: null }, { key: 'atr_live_x' }, { key: (await world.key({ scopes: [] })).secret }]) {
        const refused = await things.send(operation.method, urlOf(call), options)
        if (refused.status === 200) continue
        assertHeaders(refused, cacheControl, `${operation.id} ${refused.status}`)
        assert.equal(refused.headers.etag, undefined)
      }
    })
  }

  it('are complete when no operation is reached', async () => {
    for (const [method, path] of [
      ['GET', '/v1/nowhere'],
      ['PUT', '/v1/workspaces'],
      ['GET', `/v1/workspaces?x=${world.acme.key}`],
      ['GET', `/v1/workspaces?x=${'a'.repeat(9000)}`],
    ] as const) {
      const reply = await world.call(method, path)
      assert.ok(reply.status >= 400)
      const isRouted = path.includes(world.acme.key)
      assertHeaders(reply, isRouted ? kept : notKept, `${method} ${path.slice(0, 40)}`)
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    }
    const unreadable = await sendBytes(world.server.url, head('nonsense'))
    assertHeaders(unreadable, notKept, 'bad HTTP')
  })

  it('ignore a request id from the client', async () => {
    const mine = 'req_01J00000000000000000000000'
    const reply = await world.get('/v1/me', { headers: { 'x-request-id': mine } })
    assert.notEqual(reply.headers['x-request-id'], mine)
  })
})

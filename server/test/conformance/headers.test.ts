/**
 * The headers of every answer (contract/01#transport). `atrium conform` tries those of each operation, on success and on refusal
 * (server/test/conform).
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Reply } from '../call.ts'
import { onEveryWorld } from '../world.ts'
import { head, sendBytes } from './wire.ts'

const kept = 'private, no-cache'
const notKept = 'private, no-store'

onEveryWorld('answer headers', (world) => {
  const ids = new Set<string>()

  function assertHeaders({ headers }: Reply, cacheControl: string, about: string): void {
    assert.equal(headers['cache-control'], cacheControl, about)
    assert.equal(headers.vary, 'Authorization, Service-Version', about)
    const id = String(headers['x-request-id'])
    assert.match(id, /^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/, about)
    assert.ok(!ids.has(id), `${about}: two requests have the same id`)
    ids.add(id)
    for (const name of ['x-powered-by', 'server', 'set-cookie', 'idempotent-replayed']) {
      assert.equal(headers[name], undefined, `${about}: ${name}`)
    }
  }

  it('say how long an answer is, and neither name the server nor set a cookie', async () => {
    const replies: [Reply, string][] = [
      [await world.get('/v1/workspaces'), kept],
      [await world.post('/v1/workspaces', { title: 'é' }), notKept],
      [await world.get('/v1/workspaces?limit=0'), kept],
    ]
    for (const [reply, cacheControl] of replies) {
      assertHeaders(reply, cacheControl, String(reply.status))
      assert.equal(reply.headers['content-length'], String(Buffer.byteLength(reply.text)))
      assert.equal(reply.headers['service-version'], '2026-08-03')
    }
  })

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

/**
 * Refusals before an operation is chosen, always in the envelope (contract/02#malformed-http, contract/02#unknown-routes-and-methods).
 * `atrium conform` tries the methods of each path (server/test/conform).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { before, it } from 'node:test'
import type { Operation } from '../../src/api/declare/operation.ts'
import { catalogue } from '../../src/catalogue.ts'
import { http_limits } from '../../src/http/limits.ts'
import { createServer } from '../../src/http/server.ts'
import { onEveryWorld } from '../world.ts'
import { assertEnvelope, assertRefused } from './answers.ts'
import { head, sendBytes } from './wire.ts'

/** What belongs to the connection and not to the answer. */
const connection_headers = new Set(['connection', 'keep-alive', 'transfer-encoding'])

onEveryWorld('the wire', (world) => {
  let host: string
  let authorization: string
  before(async () => {
    host = `Host: ${new URL(world.server.url).host}`
    authorization = `Authorization: Bearer ${world.acme.key}`
  })

  const send = (...parts: (string | Buffer)[]) => sendBytes(world.server.url, ...parts)
  const get = (path: string, ...lines: string[]) => send(head(`GET ${path} HTTP/1.1`, host, authorization, ...lines))

  it('malformed HTTP is answered with 400 in the envelope and the connection closes', async () => {
    const post = ['POST /v1/workspaces HTTP/1.1', host, authorization, 'Content-Type: application/json']
    const bad: Record<string, string> = {
      'no request line': 'hello\r\n\r\n',
      'an unknown version': head('GET /v1 HTTP/9.9', host),
      'an unknown method': head('BANANA /v1 HTTP/1.1', host),
      'a control character in the target': head('GET /v1\u0001 HTTP/1.1', host),
      'a header without a colon': head('GET /v1 HTTP/1.1', host, 'nonsense'),
      'a space before the colon': head('GET /v1 HTTP/1.1', host, 'X-A : b'),
      'a control character in a header': head('GET /v1 HTTP/1.1', host, 'X-A: b\u0000c'),
      'headers over 16 KiB': head('GET /v1 HTTP/1.1', host, authorization, `X-A: ${'a'.repeat(17 * 1024)}`),
      'many headers over 16 KiB': head(
        'GET /v1 HTTP/1.1',
        host,
        ...Array.from({ length: 1200 }, (_, i) => `X-${i}: abcdefghijklm`),
      ),
      'a length that is no number': head(...post, 'Content-Length: ten'),
      'a negative length': head(...post, 'Content-Length: -1'),
      'two lengths': head(...post, 'Content-Length: 2', 'Content-Length: 3'),
      'a length and chunks': `${head(...post, 'Content-Length: 2', 'Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\n\r\n`,
      'an unknown transfer coding': `${head(...post, 'Transfer-Encoding: cow')}{}`,
      'chunks behind another coding': `${head(...post, 'Transfer-Encoding: chunked, identity')}2\r\n{}\r\n0\r\n\r\n`,
      'no host': head('GET /v1 HTTP/1.1', authorization),
      'two hosts': head('GET /v1 HTTP/1.1', host, host, authorization),
      'two credentials': head('GET /v1 HTTP/1.1', host, authorization, 'Authorization: Bearer other'),
      'one credential twice': head('GET /v1 HTTP/1.1', host, authorization, authorization),
    }
    for (const [what, bytes] of Object.entries(bad)) {
      const reply = await send(bytes)
      assertRefused(reply, 'invalid_request_body', null, what)
      assert.equal(reply.headers.connection, 'close', what)
      assert.match(String(reply.headers['x-request-id']), /^req_/)
    }
  })

  it('a body with malformed chunks is refused with 400', async () => {
    const lines = [
      'POST /v1/workspaces HTTP/1.1',
      host,
      authorization,
      'Content-Type: application/json',
      'Idempotency-Key: c',
    ]
    const start = head(...lines, 'Transfer-Encoding: chunked')
    for (const chunk of ['zz\r\n{}\r\n0\r\n\r\n', '2\r\n{}xx\r\n0\r\n\r\n', '-1\r\n', 'FFFFFFFFFFFFFFFFFF\r\n']) {
      assertRefused(await send(start, chunk), 'invalid_request_body', null, JSON.stringify(chunk))
    }
    const whole = await send(start.replace('Key: c', 'Key: d'), '8\r\n{"title"\r\n8;x=y\r\n:"Bits"}\r\n0\r\n\r\n')
    assert.deepEqual([whole.status, whole.body?.title], [200, 'Bits'])
  })

  it('headers just under 16 KiB are accepted', async () => {
    assert.equal((await get('/v1', `X-A: ${'a'.repeat(15 * 1024)}`)).status, 200)
  })

  it('a URL of 8 KiB is accepted, one byte more is refused', async () => {
    const path = '/v1/workspaces?fields='
    const names = (length: number) => 'a'.repeat(length - path.length)
    const fits = await get(path + names(8192))
    assertRefused(fits, 'invalid_query_parameter', 'fields')
    const over = await get(path + names(8193))
    assertRefused(over, 'invalid_query_parameter', null)
    assert.match(over.body.error.message, /8192/)
    assertRefused(await get(`/v1/workspaces/${'a'.repeat(9000)}`), 'invalid_query_parameter', null)
    assertRefused(await get(`/v1/nowhere/${'a'.repeat(9000)}`), 'invalid_query_parameter', null)
  })

  it('an unknown route is 404 without Allow, with and without a credential', async () => {
    const paths = [
      '/',
      '/v2',
      '/v1/',
      '/V1',
      '/v1/Workspaces',
      '/v1//workspaces',
      '/v1/nowhere',
      '/v1/me/x',
      '/v1/%zz',
      '/v1/workspaces/a/b',
      '/favicon.png',
      '/v1/%77orkspace',
    ]
    for (const path of paths) {
      for (const lines of [[authorization], []]) {
        const reply = await send(head(`GET ${path} HTTP/1.1`, host, ...lines))
        assertRefused(reply, 'resource_not_found', null, path)
        assert.equal(reply.headers.allow, undefined, path)
      }
    }
  })

  // `fetch`, by which `atrium conform` tries the other methods, does not send it.
  it('TRACE of a known path is 404 with Allow', async () => {
    const paths = new Set(catalogue.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x9')))
    for (const path of paths) {
      const matches = ({ path: each }: Operation) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
      const known = new Set<string>(catalogue.filter(matches).map(({ method }) => method))
      const reply = await send(head(`TRACE ${path} HTTP/1.1`, host, authorization, 'Connection: close'))
      assertRefused(reply, 'resource_not_found', null, path)
      assert.deepEqual(new Set(reply.headers.allow?.split(', ')), known, path)
    }
  })

  it('a path with a broken escape is 404 without Allow, and the message quotes the escape', async () => {
    for (const [path, broken] of [
      ['/v1/tasks/%zz', '%zz'],
      ['/v1/tasks/a%', '%'],
      ['/v1/tasks/%f/comments', '%f'],
      ['/v1/tasks/caf%e9', '%e9'],
    ] as const) {
      const reply = await get(path)
      assertRefused(reply, 'resource_not_found', null, path)
      assert.equal(reply.headers.allow, undefined, path)
      assert.equal(
        reply.body.error.message,
        `The path holds "${broken}", which is not percent-encoded UTF-8. Write a literal percent sign as %25.`,
      )
    }
  })

  it('HEAD answers wherever GET does, with the same status and headers and no body', async () => {
    const paths = ['/v1', '/v1/workspaces', '/v1/tasks/none', '/v1/events/stream?types=*', '/v1/downloads/none']
    for (const path of [
      ...paths,
      '/v1/tasks?limit=0',
      '/v1/openapi.json',
      '/healthz',
      '/metrics',
      '/docs',
      '/nothing',
    ]) {
      const [one, other] = [await get(path, 'Connection: close'), await world.call('HEAD', path)]
      assert.equal(other.status, one.status, path)
      assert.equal(other.text, '', path)
      const names = (reply: typeof one) => Object.keys(reply.headers).filter((name) => !connection_headers.has(name))
      assert.deepEqual(names(other).sort(), names(one).sort(), path)
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'x-ratelimit-cost', 'allow']) {
        if (path === '/metrics' && name === 'content-length') continue
        assert.equal(other.headers[name], one.headers[name], `${path} ${name}`)
      }
    }
  })

  it('an unknown Expect, an upgrade and an absolute target do not change the status', async () => {
    const expecting = await get('/v1', 'Expect: magic')
    assert.ok(expecting.status === 200 || expecting.status === 400, expecting.text)
    if (expecting.status === 400) assertEnvelope(expecting)
    const upgrading = await get('/v1', 'Connection: Upgrade', 'Upgrade: websocket')
    assert.equal(upgrading.status, 200)
    const absolute = await get(`${world.server.url}/v1/workspaces?limit=1`)
    assert.deepEqual([absolute.status, absolute.body.url], [200, '/v1/workspaces'])
  })

  it('a body that waits for 100 Continue is read', async () => {
    const body = '{"title":"Continued"}'
    const lines = ['POST /v1/workspaces HTTP/1.1', host, authorization, 'Content-Type: application/json']
    const start = head(...lines, 'Idempotency-Key: e', `Content-Length: ${body.length}`, 'Expect: 100-continue')
    assert.equal((await send(start, body)).body?.title, 'Continued')
  })

  it('two requests on one connection get two answers', async () => {
    const one = head('GET /v1/me HTTP/1.1', host, authorization)
    const last = head('GET /v1 HTTP/1.1', host, authorization, 'Connection: close')
    const reply = await send(one + last)
    assert.equal(reply.status, 200)
    assert.match(reply.text, /api_identity/)
  })

  it('slow headers are cut within a second of their limit', async () => {
    const app = createServer(world.services, catalogue, { ...http_limits, request_headers_ms: 50, expiry_check_ms: 10 })
    await app.listen('127.0.0.1', 0)
    try {
      assert.ok(http_limits.expiry_check_ms <= 1000)
      const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
      client.write('GET /v1 HTTP/1.1\r\nHo')
      assert.match(Buffer.concat(await client.toArray()).toString(), /^HTTP\/1\.1 400 .*did not arrive in time/s)
    } finally {
      await app.close()
    }
  })

  it('connections over the cap are closed, and idle ones make room', async () => {
    const app = createServer(world.services, catalogue, { ...http_limits, connections_max: 2 })
    await app.listen('127.0.0.1', 0)
    const { port } = app.server.address() as AddressInfo
    const open = async () => {
      const client = connect(port, '127.0.0.1').on('error', () => {})
      await once(client, 'connect')
      return client
    }
    try {
      const [slow, idle] = [await open(), await open()]
      slow.write('GET /v1 HTTP/1.1\r\nHo')
      idle.write(head('GET /healthz HTTP/1.1', host))
      await once(idle, 'data')
      assert.deepEqual(await (await open()).toArray(), [], 'the third is closed without an answer')
      assert.equal(slow.closed, false)
      await once(idle, 'close')
      const next = await open()
      next.write(head('GET /healthz HTTP/1.1', host))
      assert.match(String((await once(next, 'data'))[0]), /^HTTP\/1\.1 200 /)
      next.destroy()
      slow.destroy()
    } finally {
      await app.close()
    }
  })

  it('a connection without a request in time closes silently; one with half a request gets 400', async () => {
    const app = createServer(world.services, catalogue)
    await app.listen('127.0.0.1', 0)
    try {
      // Node emits this when the headers do not arrive in time.
      const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      const answerAfter = async (sent: string): Promise<string> => {
        const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
        const [socket] = await once(app.server, 'connection')
        if (sent !== '') {
          client.write(sent)
          while (socket.bytesRead < sent.length) await new Promise(setImmediate)
        }
        app.server.emit('clientError', late, socket)
        const chunks = await client.toArray()
        return Buffer.concat(chunks).toString()
      }
      assert.equal(await answerAfter(''), '')
      assert.match(await answerAfter('GET /v1 HTTP/1.1\r\nHo'), /^HTTP\/1\.1 400 .*did not arrive in time/s)
    } finally {
      await app.close()
    }
  })
})

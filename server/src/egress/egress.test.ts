import assert from 'node:assert/strict'
import { createServer as createTcpServer } from 'node:net'
import { describe, it } from 'node:test'
import { inner4, inner6, lenient, localServers, send, strict, unreachable } from '../../test/egress.ts'
import { Egress, type Resolve } from './egress.ts'
import { egress_limits } from './limits.ts'

const { listen, serve, closedPort } = localServers()

describe('a name', () => {
  const inner = [...inner4, ...inner6, '::ffff:127.0.0.1', 'fe80::1%eth0', 'no address', '']
  const outer = ['8.8.8.8', '2606:4700::1111', '1.1.1.1']

  it('is not reached if any of its addresses is private, and fails like a name without an address', async () => {
    const cases: Record<string, readonly string[]> = { 'none.dev': [] }
    for (const [i, address] of inner.entries()) {
      cases[`only-${i}.dev`] = [address]
      cases[`first-${i}.dev`] = [address, ...outer]
      cases[`last-${i}.dev`] = [...outer, address]
    }
    const egress = strict(async (host) => cases[host] ?? [])
    const results = await Promise.all(Object.keys(cases).map((host) => send(egress, `https://${host}/`)))
    for (const result of results) assert.deepEqual(result, unreachable)
  })

  it('closed, missing and refused fail the same way: none before the minimum delay has passed', async () => {
    const closed = await closedPort()
    const missing: Resolve = async (host) => {
      if (host === 'missing.dev') throw new Error('ENOTFOUND')
      return host === 'refused.dev' ? ['10.0.0.1'] : []
    }
    const egress = lenient(missing)
    const urls = [`http://127.0.0.1:${closed}/`, 'https://missing.dev/', 'https://refused.dev/', 'https://none.dev/']
    const answers = await Promise.all(
      urls.map(async (url) => {
        const started = performance.now()
        const result = await send(egress, url)
        assert.ok(performance.now() - started >= egress_limits.egress_unreachable_ms - 2, url)
        return result
      }),
    )
    for (const answer of answers) assert.deepEqual(answer, unreachable)
  })

  it('that changes its answer gains nothing: the connection goes to the checked address', async () => {
    const port = await serve((request, response) => response.end(request.headers.host))
    let turn = 0
    const egress = lenient(async () => (turn++ % 2 === 0 ? ['127.0.0.1'] : ['10.255.255.1']))
    const url = `http://rebinding.dev:${port}/`
    const first = await send(egress, url)
    assert.ok(first.ok && first.status === 200)
    assert.equal(first.ok && first.body.toString(), `rebinding.dev:${port}`)
    assert.equal(turn, 1)
    assert.deepEqual(await send(egress, url), unreachable)
    assert.equal(turn, 2)
  })

  it('is tried at each of its addresses', async () => {
    const port = await serve((_request, response) => response.end('here'))
    const egress = lenient(async () => ['127.0.0.2', '127.0.0.1'])
    const answer = await send(egress, `http://several.dev:${port}/`)
    assert.equal(answer.ok && answer.body.toString(), 'here')
  })
})

/** The port accepts no connection. */
async function assertClosed(egress: Egress, port: number, hosts: readonly string[]): Promise<void> {
  const results = await Promise.all(
    hosts.map(async (host) => {
      assert.equal((await egress.check(`http://${host}:${port}/`)).ok, false, host)
      return await send(egress, `http://${host}:${port}/`)
    }),
  )
  for (const [i, result] of results.entries()) assert.deepEqual(result, unreachable, String(hosts[i]))
}

describe("the operator's exceptions", () => {
  it('let an allowed network be reached over http, on any port, by address and by name; and nothing else', async () => {
    const port = await serve((_request, response) => response.end())
    const resolve: Resolve = async (host) =>
      host === 'localhost' ? ['127.0.0.1'] : host === 'mixed.dev' ? ['127.0.0.1', '8.8.8.8'] : ['10.0.0.1']
    const egress = lenient(resolve)
    for (const host of ['127.0.0.1', '127.9.8.7', 'localhost', '2130706433', '0x7f.1']) {
      assert.equal((await egress.check(`http://${host}:${port}/`)).ok, true, host)
    }
    assert.equal((await send(egress, `http://localhost:${port}/`)).ok, true)
    await assertClosed(egress, port, ['10.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'elsewhere', 'mixed.dev', 'other.dev'])
    for (const rule of ['http://user@127.0.0.1/', 'http://127.0.0.1/#x', 'ftp://127.0.0.1/']) {
      assert.equal((await egress.check(rule)).ok, false, rule)
    }
  })

  it('let an allowed host be reached at any address, and no other host', async () => {
    const port = await serve((_request, response) => response.end())
    const resolve: Resolve = async () => ['127.0.0.1']
    const egress = new Egress({ allowedHosts: ['hooks.internal'], allowedCidrs: [], resolve })
    for (const host of ['hooks.internal', 'HOOKS.internal', 'hooks.internal.']) {
      assert.equal((await egress.check(`http://${host}:${port}/`)).ok, true, host)
      assert.equal((await send(egress, `http://${host}:${port}/`)).ok, true, host)
    }
    await assertClosed(egress, port, ['other.internal', 'x.hooks.internal', '127.0.0.1'])
  })

  it('that are not networks are refused', () => {
    for (const cidr of ['10.0.0.0/33', 'ten', '10.0.0.0/', '10.0.0.0/x', '::/129', 'fe80::1%eth0/64']) {
      assert.throws(() => new Egress({ allowedHosts: [], allowedCidrs: [cidr] }), cidr)
    }
  })
})

describe('a request', () => {
  it('follows no redirect, and returns the answer undecoded and cut to its limit', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(307, { location: '/' }).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(100_000, 'x'))
    })
    const moved = await send(lenient(), `http://127.0.0.1:${port}/moved`)
    assert.equal(moved.ok && moved.status, 307)
    const cut = await send(lenient(), `http://127.0.0.1:${port}/`, { response_bytes_max: 1000 })
    assert.deepEqual(cut.ok && [cut.status, cut.body.toString()], [200, 'x'.repeat(1000)])
  })

  it('to a host that does not answer, answers without end, or does not speak HTTP fails with its reason', async () => {
    const mute = await listen(createTcpServer(() => {}))
    const endless = await serve((_request, response) => {
      response.write('x')
    })
    const babbling = await listen(createTcpServer((socket) => socket.end('220 smtp ready\r\n')))
    const hangingUp = await listen(createTcpServer((socket) => socket.destroy()))
    const ask = (port: number) => send(lenient(), `http://127.0.0.1:${port}/`, { total_ms: 300 })
    assert.deepEqual(await ask(mute), { ok: false, failure: 'timeout' })
    assert.deepEqual(await ask(endless), { ok: false, failure: 'timeout' })
    assert.deepEqual(await ask(babbling), { ok: false, failure: 'protocol' })
    assert.deepEqual(await ask(hangingUp), { ok: false, failure: 'protocol' })
    const noTls = await send(lenient(), `https://127.0.0.1:${babbling}/`)
    assert.deepEqual(noTls, { ok: false, failure: 'tls' })
  })

  it('that needs only the status does not wait for a body', async () => {
    const port = await serve((_request, response) => void response.writeHead(200).write('on and on'))
    const answer = await send(lenient(), `http://127.0.0.1:${port}/`, { response_bytes_max: 0 })
    assert.deepEqual(answer.ok && [answer.status, answer.body.length], [200, 0])
  })
})

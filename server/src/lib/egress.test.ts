import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { after, describe, it } from 'node:test'
import { Egress, type EgressResult, type Resolve } from './egress.ts'
import { limits } from './limits.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'))
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

const serve = (listener: RequestListener) => listen(createHttpServer(listener))

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createTcpServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

const nobody: Resolve = async () => []
const strict = (resolve: Resolve = nobody) => new Egress({ allowedHosts: [], allowedCidrs: [], resolve })
const lenient = (resolve: Resolve = nobody) => new Egress({ allowedHosts: [], allowedCidrs: ['127.0.0.0/8'], resolve })

function send(egress: Egress, url: string, more: object = {}): Promise<EgressResult> {
  const times = { total_ms: 15_000, connect_ms: 5_000, response_bytes_max: 64 * 1024 }
  return egress.send({ url: new URL(url), method: 'POST', headers: {}, body: '{}', ...times, ...more })
}

const unreachable = { ok: false, failure: 'unreachable' }

/** Four numbers as an address of the old kind, in every notation that some parser takes for it. */
function notations(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number]
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (n: number) => `0x${n.toString(16)}`
  const octal = (n: number) => `0${n.toString(8)}`
  const group = (high: number, low: number) => (high * 256 + low).toString(16)
  const [first, last] = [group(a, b), group(c, d)]
  const fullwidth = [...address].map((char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)).join('')
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    octal(whole),
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    [a, b, c, d].map((n) => `000${octal(n)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `%3${address.charAt(0)}${address.slice(1)}`,
    fullwidth,
    address.replaceAll('.', '\u3002'),
    `[::ffff:${address}]`,
    `[::ffff:${first}:${last}]`,
    `[0:0:0:0:0:ffff:${first}:${last}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[2002:${first}:${last}::1]`,
    `[2001:0:${first}:${last}::1]`,
  ]
}

const inner4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

const inner6 = [
  '::',
  '::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
  '2001:0:808:808::1',
  '::ffff:8.8.8.8',
]

const names = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'db',
  'router.lan',
  'intranet',
  'printer.local',
  'vault.internal',
  'metadata.google.internal',
  'x.home.arpa',
  '1.0.0.127.in-addr.arpa',
  'service.corp',
  'nas.home',
  'box.localdomain',
  'shop.test',
  'shop.example',
  'hidden.onion',
  'wrong..dots.com',
  '-dash.com',
  'dash-.com',
  'a'.repeat(64).concat('.com'),
  `${'a.'.repeat(127)}com`,
]

const rules = [
  'http://hooks.dev/',
  'HTTP://hooks.dev/',
  'ftp://hooks.dev/',
  'ws://hooks.dev/',
  'file:///etc/passwd',
  'gopher://hooks.dev/',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'blob:https://hooks.dev/1',
  '//hooks.dev/',
  'hooks.dev',
  '/hook',
  '',
  ' ',
  'https://',
  'https:///',
  'https://hooks.dev:80/',
  'https://hooks.dev:22/',
  'https://hooks.dev:0/',
  'https://hooks.dev:8080/',
  'https://hooks.dev:4430/',
  'https://hooks.dev:65536/',
  'https://user@hooks.dev/',
  'https://user:pass@hooks.dev/',
  'https://:pass@hooks.dev/',
  'https://@hooks.dev/',
  'https://hooks.dev@10.0.0.1/',
  'https://10.0.0.1#@hooks.dev/',
  'https://hooks.dev\\@10.0.0.1/',
  'https:\\\\hooks.dev\\',
  'https://hooks.dev/#fragment',
  'https://hooks.dev/#',
  ' https://hooks.dev/',
  'https://hooks.dev/ ',
  'https://hooks.dev/a b',
  'https://hooks.dev/\t',
  'https://ho\noks.dev/',
  'https://hooks.dev/\r\nHost: other',
  'https://hooks.dev/\u0001',
  '\u0001https://hooks.dev/',
  'https://hooks.dev/\u200b',
  'https://hooks\u00ad.dev/',
  'https://hooks.dev/\u202e',
  `https://hooks.dev/${'a'.repeat(2048)}`,
  'https://[::1/',
  'https://[fe80::1%25eth0]/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://0x/',
]

const targets = [
  ...inner4.flatMap(notations).map((host) => `https://${host}/`),
  ...inner6.map((host) => `https://[${host}]/`),
  ...['8.8.8.8', '[2606:4700::1111]'].map((host) => `https://${host}/`),
  ...names.map((host) => `https://${host}/`),
  ...rules,
]

describe('a URL that a user names', () => {
  it(`is refused before anyone is asked, in each of ${targets.length} ways of naming what is inside`, async () => {
    assert.ok(targets.length >= 300)
    const asked: string[] = []
    const egress = strict(async (host) => {
      asked.push(host)
      return ['127.0.0.1']
    })
    for (const target of targets) assert.equal((await egress.check(target)).ok, false, target)
    assert.deepEqual(asked, [])
  })

  it('is not reached either where it was stored all the same', async () => {
    const possible = targets.filter((target) => URL.canParse(target) && /^https?:\/\//i.test(target))
    const port = await serve((_request, response) => response.end())
    const egress = strict(async () => ['127.0.0.1'])
    const more = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, `http://hooks.dev:${port}/`]
    const inner = possible.filter((target) => !target.startsWith('https://hooks.dev'))
    const results = await Promise.all([...inner, ...more].map((target) => send(egress, target)))
    for (const [i, result] of results.entries()) assert.deepEqual(result, unreachable, String(inner[i]))
  })

  it('is accepted where it is https at a public name', async () => {
    for (const url of [
      'https://hooks.dev/',
      'https://hooks.dev',
      'https://hooks.dev:443/path?query=1&x=%20',
      'https://hooks.dev:8443/',
      'https://hooks.dev./',
      'https://b\u00fccher.de/',
      'https://xn--bcher-kva.de/\u2603',
      'https://a-b.c_d.example.com/',
      'https://example.co.uk/?to=user@host',
    ]) {
      assert.equal((await strict().check(url)).ok, true, url)
    }
  })
})

describe('a name', () => {
  const inner = [...inner4, ...inner6, '::ffff:127.0.0.1', 'fe80::1%eth0', 'no address', '']
  const outer = ['8.8.8.8', '2606:4700::1111', '1.1.1.1']

  it('is not reached when any of its addresses lies inside, and the answer is that of a name without address', async () => {
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

  it('closed, missing and refused take the same: none is told before the same time has passed', async () => {
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
        assert.ok(performance.now() - started >= limits.egress_unreachable_ms - 2, url)
        return result
      }),
    )
    for (const answer of answers) assert.deepEqual(answer, unreachable)
  })

  it('that changes its answer gains nothing: what was checked is what is connected to', async () => {
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

/** Neither accepted nor reached. */
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
  it('let an allowed network be reached by http, any port, literally and by name; and nothing beside it', async () => {
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

  it('let an allowed host be reached wherever it lies, and no other', async () => {
    const port = await serve((_request, response) => response.end())
    const resolve: Resolve = async () => ['127.0.0.1']
    const egress = new Egress({ allowedHosts: ['hooks.internal'], allowedCidrs: [], resolve })
    for (const host of ['hooks.internal', 'HOOKS.internal', 'hooks.internal.']) {
      assert.equal((await egress.check(`http://${host}:${port}/`)).ok, true, host)
      assert.equal((await send(egress, `http://${host}:${port}/`)).ok, true, host)
    }
    await assertClosed(egress, port, ['other.internal', 'x.hooks.internal', '127.0.0.1'])
  })

  it('that are no networks are refused', () => {
    for (const cidr of ['10.0.0.0/33', 'ten', '10.0.0.0/', '10.0.0.0/x', '::/129', 'fe80::1%eth0/64']) {
      assert.throws(() => new Egress({ allowedHosts: [], allowedCidrs: [cidr] }), cidr)
    }
  })
})

describe('a request', () => {
  it('follows no redirect, and takes the answer as it comes, undecoded and cut', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(307, { location: '/' }).end()
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(Buffer.alloc(100_000, 'x'))
    })
    const moved = await send(lenient(), `http://127.0.0.1:${port}/moved`)
    assert.equal(moved.ok && moved.status, 307)
    const cut = await send(lenient(), `http://127.0.0.1:${port}/`, { response_bytes_max: 1000 })
    assert.deepEqual(cut.ok && [cut.status, cut.body.toString()], [200, 'x'.repeat(1000)])
  })

  it('to what does not answer, answers no end, or speaks no HTTP fails by its kind', async () => {
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

  it('that need only the status does not wait for a body', async () => {
    const port = await serve((_request, response) => void response.writeHead(200).write('on and on'))
    const answer = await send(lenient(), `http://127.0.0.1:${port}/`, { response_bytes_max: 0 })
    assert.deepEqual(answer.ok && [answer.status, answer.body.length], [200, 0])
  })
})

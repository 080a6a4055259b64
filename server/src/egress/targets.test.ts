/** Which URLs a user may name: refused notations of private targets, and accepted public names. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inner4, inner6, localServers, send, strict, unreachable } from '../../test/egress.ts'

const { serve } = localServers()

/** Four numbers as an old-style address, in every notation that some parser accepts. */
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
  it(`is refused before any look-up, in each of ${targets.length} notations of a private target`, async () => {
    assert.ok(targets.length >= 300)
    const lookedUp: string[] = []
    const egress = strict(async (host) => {
      lookedUp.push(host)
      return ['127.0.0.1']
    })
    for (const target of targets) assert.equal((await egress.check(target)).ok, false, target)
    assert.deepEqual(lookedUp, [])
  })

  it('is not reached even if it was stored', async () => {
    const possible = targets.filter((target) => URL.canParse(target) && /^https?:\/\//i.test(target))
    const port = await serve((_request, response) => response.end())
    const egress = strict(async () => ['127.0.0.1'])
    const more = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, `http://hooks.dev:${port}/`]
    const inner = possible.filter((target) => !target.startsWith('https://hooks.dev'))
    const results = await Promise.all([...inner, ...more].map((target) => send(egress, target)))
    for (const [i, result] of results.entries()) assert.deepEqual(result, unreachable, String(inner[i]))
  })

  it('is accepted if it is https with a public name', async () => {
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Request } from '../api/declare/request.ts'
import { addressOf, isSecure, originsOf, ownOrigin, passkeysUnavailable, requireOwnOrigin } from './origins.ts'

const request = (headers: Record<string, string>, ip = '127.0.0.1') =>
  ({
    headers,
    ip,
    headerValues: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
  }) as unknown as Request

describe('The console’s origins', () => {
  it('are the public one, and on loopback all loopback names with the same port and scheme', () => {
    assert.deepEqual(originsOf('https://atrium.example/base'), ['https://atrium.example'])
    assert.deepEqual(originsOf('http://127.0.0.1:4010'), [
      'http://127.0.0.1:4010',
      'http://localhost:4010',
      'http://[::1]:4010',
    ])
  })

  it('are also those of the loopback interface if the server listens on all addresses', () => {
    for (const host of ['0.0.0.0', '[::]']) {
      const url = `http://${host}:4010`
      assert.equal(ownOrigin(request({ host: 'localhost:4010' }), url), 'http://localhost:4010')
      assert.equal(ownOrigin(request({ host: '192.168.1.5:4010' }), url), url)
      assert.equal(isSecure(url), false)
      assert.equal(requireOwnOrigin(request({ origin: 'http://localhost:4010' }), url), 'http://localhost:4010')
      assert.throws(() => requireOwnOrigin(request({ origin: 'http://192.168.1.5:4010' }), url), {
        code: 'csrf_failed',
      })
    }
  })

  it('are secure only over HTTPS and on loopback', () => {
    for (const url of ['https://atrium.example', 'http://localhost', 'http://127.0.0.1:1', 'http://[::1]:1'])
      assert.equal(isSecure(url), true, url)
    for (const url of [
      'http://atrium.example',
      'http://192.168.1.5:4010',
      'http://0.0.0.0:4010',
      'http://localhost.evil.example',
    ])
      assert.equal(isSecure(url), false, url)
  })

  it('are compared exactly; a missing one is accepted only with Sec-Fetch-Site: same-origin', () => {
    const url = 'https://atrium.example'
    assert.equal(requireOwnOrigin(request({ origin: url }), url), url)
    assert.equal(requireOwnOrigin(request({ 'sec-fetch-site': 'same-origin' }), url), url)
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'https://atrium.example.evil.example' },
      { origin: 'http://atrium.example' },
      { origin: 'https://atrium.example:444' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      assert.throws(
        () => requireOwnOrigin(request(headers as never), url),
        { code: 'csrf_failed' },
        JSON.stringify(headers),
      )
  })

  it('ignore a forged Host header', () => {
    assert.equal(ownOrigin(request({ host: 'evil.example:4010' }), 'http://127.0.0.1:4010'), 'http://127.0.0.1:4010')
    assert.equal(ownOrigin(request({ host: 'localhost:4010' }), 'http://127.0.0.1:4010'), 'http://localhost:4010')
  })

  it('support passkeys if they have a host name', () => {
    assert.equal(passkeysUnavailable('https://atrium.example'), null)
    assert.equal(passkeysUnavailable('http://localhost:4010'), null)
    assert.match(passkeysUnavailable('http://[::1]:4010') ?? '', /http:\/\/localhost:4010/)
    assert.match(passkeysUnavailable('https://192.168.1.5') ?? '', /host name/)
  })
})

describe('The address of a request', () => {
  const behind = (publicUrl: string, ...trustedProxies: string[]) => ({ publicUrl, trustedProxies })

  it('is the last X-Forwarded-For entry behind a private proxy', () => {
    const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' }
    assert.equal(addressOf(request(headers), behind('https://atrium.example')), '203.0.113.9')
    assert.equal(addressOf(request(headers, '::ffff:10.0.0.2'), behind('https://atrium.example')), '203.0.113.9')
    assert.equal(addressOf(request(headers, '8.8.8.8'), behind('https://atrium.example')), '8.8.8.8')
    assert.equal(addressOf(request(headers), behind('http://127.0.0.1:4010')), '127.0.0.1')
    assert.equal(addressOf(request({ 'x-forwarded-for': 'nonsense' }), behind('https://atrium.example')), '127.0.0.1')
  })

  it('is that which the listener found where the operator names the proxies', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const named = behind('https://atrium.example', '192.0.2.1')
    assert.equal(addressOf(request(headers), named), '127.0.0.1')
    assert.equal(addressOf(request(headers, '10.0.0.2'), named), '10.0.0.2')
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AddressRanges } from '../lib/address-ranges.ts'
import { clientAddress } from './forwarded.ts'

describe('The client behind named proxies', () => {
  const proxies = new AddressRanges(['127.0.0.1/32', '10.1.0.0/16', '2001:db8::/32'])
  const of = (peer: string, ...forwarded: string[]) => clientAddress(peer, forwarded, proxies)

  it('is the last address that no named proxy has, whatever the client claims before it', () => {
    assert.equal(of('127.0.0.1', '198.51.100.7, 203.0.113.9'), '203.0.113.9')
    assert.equal(of('::ffff:127.0.0.1', '198.51.100.7, 203.0.113.9, 10.1.2.3'), '203.0.113.9')
    assert.equal(of('127.0.0.1', '198.51.100.7', '203.0.113.9', '2001:db8::1,10.1.2.3'), '203.0.113.9')
    assert.equal(of('127.0.0.1', '::ffff:203.0.113.9'), '203.0.113.9')
  })

  it('is the peer if that is no named proxy, also in a private network', () => {
    assert.equal(of('10.2.0.1', '203.0.113.9'), '10.2.0.1')
    assert.equal(of('8.8.8.8', '203.0.113.9'), '8.8.8.8')
  })

  it('is the last proxy where nothing usable stands before it', () => {
    for (const forwarded of ['', 'unknown', '203.0.113.9:4711', '10.1.0.300'])
      assert.equal(of('127.0.0.1', forwarded), '127.0.0.1', forwarded)
    assert.equal(of('127.0.0.1'), '127.0.0.1')
    assert.equal(of('127.0.0.1', 'nonsense, 10.1.2.3'), '10.1.2.3')
    assert.equal(of('127.0.0.1', '10.1.2.3'), '10.1.2.3')
  })
})

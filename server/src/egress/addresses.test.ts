import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AddressRanges } from '../lib/address-ranges.ts'
import { isGlobalUnicast } from './addresses.ts'

describe('an address', () => {
  it('next to a special-purpose range is global; the range’s first and last are not', () => {
    for (const [before, first, last, behind] of [
      ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
      ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
      ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
      ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
      ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
      ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
      ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
      ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
      ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
      ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
      ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
      ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
      ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff::', '2001:db9::'],
      ['2001:ffff::', '2002::', '2002:ffff::', '2003::'],
      ['3ffe:ffff::', '3fff::', '3fff:fff:ffff::', '3fff:1000::'],
    ] as const) {
      const of = (address: string) => isGlobalUnicast(address)
      assert.ok(of(before), before)
      assert.ok(!of(first), first)
      assert.ok(!of(last), last)
      assert.ok(of(behind), behind)
    }
  })

  it('that carries another one, or is not an address, is not global', () => {
    for (const address of [
      '::ffff:8.8.8.8',
      '::8.8.8.8',
      '64:ff9b::808:808',
      '64:ff9b:1::808:808',
      '2002:808:808::1',
      '2001::1',
      '2606:4700::1111%eth0',
      'ff0e::1',
      'fe80::1',
      '224.0.0.1',
      '255.255.255.255',
      '',
      'localhost',
      '8.8.8',
      '08.8.8.8',
    ]) {
      assert.equal(isGlobalUnicast(address), false, address)
    }
    for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '2a00:1450:4001::1']) {
      assert.ok(isGlobalUnicast(address), address)
    }
  })
})

it('ranges contain their addresses, and never a mapped address', () => {
  const ranges = new AddressRanges(['10.1.0.0/16', '::1/128', '192.168.7.7'])
  assert.equal(ranges.size, 3)
  for (const address of ['10.1.0.0', '10.1.255.255', '::1', '0:0:0:0:0:0:0:1', '192.168.7.7'])
    assert.ok(ranges.has(address))
  for (const address of ['10.2.0.0', '::2', '192.168.7.8', '::ffff:10.1.0.1', '::ffff:a01:1', 'localhost', '']) {
    assert.equal(ranges.has(address), false, address)
  }
  assert.equal(new AddressRanges([]).has('127.0.0.1'), false)
})

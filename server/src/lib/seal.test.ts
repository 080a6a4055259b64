import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { SealBroken, Sealer, sameBytes } from './seal.ts'

const secret = Buffer.alloc(32, 7)
const sealer = new Sealer(secret)
const subkey = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `atrium:${purpose}`, 32))

test('a sealed text opens to the same text, also after a restart', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 2000, maxLength: 5000 }))
  fc.assert(
    fc.property(text, fc.string(), (plain, context) => {
      assert.equal(new Sealer(secret).open(sealer.seal(plain, context), context), plain)
    }),
  )
})

test('sealing a text twice gives different results, and neither contains the text', () => {
  const sealed = Array.from({ length: 100 }, () => sealer.seal('whsec_secret', 'a'))
  assert.equal(new Set(sealed).size, 100)
  assert.match(sealed[0]!, /^v1\.[A-Za-z0-9_-]{54}$/)
  assert.ok(!Buffer.from(sealed[0]!.slice(3), 'base64url').includes('whsec'))
})

test('any change, another context and another key break the seal', () => {
  const sealed = sealer.seal('secret', 'endpoint:1')
  const broken = (text: string, context: string, by = sealer) =>
    assert.throws(() => by.open(text, context), SealBroken, text)
  broken(sealed, 'endpoint:2')
  broken(sealed, '')
  broken(sealed, 'endpoint:1', new Sealer(Buffer.alloc(32, 8)))
  for (let i = 0; i < sealed.length; i++)
    broken(`${sealed.slice(0, i)}${sealed[i] === 'A' ? 'B' : 'A'}${sealed.slice(i + 1)}`, 'endpoint:1')
  for (let i = 0; i < sealed.length; i++) broken(sealed.slice(0, i), 'endpoint:1')
  for (const text of [
    `${sealed}=`,
    `${sealed} `,
    ` ${sealed}`,
    sealed.replace('v1.', 'v2.'),
    sealed.replace('v1.', 'v1.\n'),
    '',
    'v1.',
    'secret',
  ])
    broken(text, 'endpoint:1')
})

test('a secret key has 32 bytes, and changing the buffer later changes nothing', () => {
  for (const length of [0, 16, 31, 33]) assert.throws(() => new Sealer(Buffer.alloc(length)), RangeError)
  const key = Buffer.alloc(32, 7)
  const own = new Sealer(key)
  key.fill(0)
  assert.deepEqual(own.mac('cursor', 'y'), sealer.mac('cursor', 'y'))
})

test('mac is HMAC-SHA-256 under a subkey of the purpose, for texts of any length and alphabet', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', minLength: 900, maxLength: 1100 }),
    fc.constantFrom('', '€'.repeat(1024), 'a'.repeat(1025)),
  )
  fc.assert(
    fc.property(text, fc.constantFrom('cursor', 'passwords'), (message, purpose) => {
      assert.deepEqual(
        sealer.mac(purpose, message),
        createHmac('sha256', subkey(`mac:${purpose}`))
          .update(message)
          .digest(),
      )
    }),
  )
})

test('a mac that was returned does not change when the next is made', () => {
  const first = sealer.mac('cursor', 'x')
  const copy = Buffer.from(first)
  sealer.mac('cursor', 'y')
  sealer.digest('z')
  assert.deepEqual(first, copy)
})

test('digest is the peppered HMAC-SHA-256 of a credential in hex, and differs from any mac', () => {
  const credential = 'atr_live_0123456789abcdefghijABCDEFGHIJ012345'
  assert.equal(sealer.digest(credential), createHmac('sha256', subkey('digest')).update(credential).digest('hex'))
  assert.notEqual(sealer.digest(credential), new Sealer(Buffer.alloc(32, 8)).digest(credential))
  assert.notEqual(sealer.digest(credential), sealer.mac('passwords', credential).toString('hex'))
  for (const odd of ['', 'x'.repeat(5000), '€'])
    assert.equal(sealer.digest(odd), createHmac('sha256', subkey('digest')).update(odd).digest('hex'))
})

test('what a rotation carries over keeps digests and macs, and former signatures for the time that it names', () => {
  const next = new Sealer(Buffer.alloc(32, 8), sealer.carryOver(1000))
  assert.equal(next.digest('key'), sealer.digest('key'))
  for (const purpose of ['cursor', 'passwords', 'preview_token', 'sign-in attempts'] as const)
    assert.deepEqual(next.mac(purpose, 'x'), sealer.mac(purpose, 'x'))
  for (const purpose of ['download', 'passkey challenge', 'console csrf'] as const) {
    const [former, own] = [sealer, next].map((each) => each.sign(purpose, 'x').toString('base64url')) as [
      string,
      string,
    ]
    assert.notEqual(former, own)
    const accepted = (signature: string, now: number) => next.isSigned(purpose, 'x', signature, now)
    assert.deepEqual([accepted(own, 2000), accepted(former, 999), accepted(former, 1000)], [true, true, false])
    assert.equal(next.isSigned(purpose, 'y', former, 999), false)
    assert.equal(new Sealer(Buffer.alloc(32, 9), next.carryOver(1000)).isSigned(purpose, 'x', former, 999), false)
  }
  assert.throws(() => next.open(sealer.seal('secret', 'a'), 'a'), SealBroken)
  assert.equal(new Sealer(Buffer.alloc(32, 9), next.carryOver(1000)).digest('key'), sealer.digest('key'))
})

test('the fingerprint belongs to the secret key alone', () => {
  const next = Buffer.alloc(32, 8)
  assert.match(sealer.fingerprint, /^[0-9a-f]{16}$/)
  assert.equal(new Sealer(next, sealer.carryOver(0)).fingerprint, new Sealer(next).fingerprint)
  assert.notEqual(new Sealer(next, sealer.carryOver(0)).fingerprint, sealer.fingerprint)
})

test('bytes and texts are the same only if every byte is equal', () => {
  assert.ok(sameBytes('', ''))
  assert.ok(sameBytes('é', Buffer.from('é')))
  assert.ok(sameBytes(Buffer.from([1, 2]), new Uint8Array([1, 2])))
  assert.ok(!sameBytes('a', 'b'))
  assert.ok(!sameBytes('a', 'aa'))
  assert.ok(!sameBytes(Buffer.from([1]), ''))
})

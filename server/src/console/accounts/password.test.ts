import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../api/errors.ts'
import { limits } from '../../lib/limits.ts'
import { Sealer } from '../../lib/seal.ts'
import { common_passwords } from './common-passwords.ts'
import { hashPassword, isOutdated, isPassword, requireGoodPassword } from './password.ts'

const sealer = new Sealer(Buffer.alloc(32, 7))

describe('A password', () => {
  it('is recognized by its hash, and by no other key of an installation', async () => {
    const hash = await hashPassword(sealer, 'a horse that reads')
    assert.equal(await isPassword(sealer, 'a horse that reads', hash), true)
    assert.equal(await isPassword(sealer, 'a horse that read', hash), false)
    assert.equal(await isPassword(new Sealer(Buffer.alloc(32, 8)), 'a horse that reads', hash), false)
  })

  it('of nobody is never right, not even the one whose hash would be all zeros', async () => {
    assert.equal(await isPassword(sealer, '', null), false)
  })

  it('is the same in each way of writing the same characters', async () => {
    const hash = await hashPassword(sealer, 'Zoë reads books')
    assert.equal(await isPassword(sealer, 'Zoe\u0308 reads books', hash), true)
  })

  it('is to be hashed anew when its parameters are not today’s', async () => {
    const hash = await hashPassword(sealer, 'a horse that reads')
    assert.equal(isOutdated(hash), false)
    assert.equal(isOutdated(hash.replace('t=2', 't=1')), true)
    assert.equal(isOutdated(hash.replace('m=19456', 'm=8192')), true)
  })

  it('has 10 to 256 characters, and is none that anybody would try', () => {
    const taken = (password: string): boolean => {
      try {
        requireGoodPassword(password, 'ada@acme.example', 'password')
        return true
      } catch (error) {
        assert.ok(error instanceof Refusal && error.options.param === 'password')
        return false
      }
    }
    assert.equal(taken('abcdefghi'), false)
    assert.equal(taken('abcdefghi!'), true)
    assert.equal(taken(`${'🐎'.repeat(4)}abcdef`), true)
    assert.equal(taken(`${'ab! d'.repeat(51)}x`), true)
    assert.equal(taken(`${'ab! d'.repeat(51)}xy`), false)
    assert.equal(taken('abababababab'), false)
    assert.equal(taken('ADA@acme.example'), false)
    for (const common of common_passwords) assert.equal(taken(common.toUpperCase()), false, common)
    for (const common of common_passwords) assert.ok(common.length >= limits.password_chars_min, common)
  })

  it('beyond those that may wait is refused, not queued', async () => {
    const all = limits.passwords_hashed_max + limits.passwords_waiting_max
    const hashed = await Promise.allSettled(
      Array.from({ length: all + 5 }, () => hashPassword(sealer, 'a horse that reads')),
    )
    const refused = hashed.flatMap((each) => (each.status === 'rejected' ? [each.reason as Refusal] : []))
    assert.deepEqual(
      refused.map(({ code }) => code),
      Array(5).fill('too_many_attempts'),
    )
    assert.equal(await isPassword(sealer, 'a horse that reads', await hashPassword(sealer, 'a horse that reads')), true)
  })
})

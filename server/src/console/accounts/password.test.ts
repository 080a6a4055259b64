import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../api/declare/errors.ts'
import { Sealer } from '../../lib/seal.ts'
import { console_limits } from '../limits.ts'
import { common_passwords } from './common-passwords.ts'
import { hashPassword, newParameters, parametersOf, requireGoodPassword } from './password.ts'

const sealer = new Sealer(Buffer.alloc(32, 7))

describe('A password', () => {
  it('gives one hash under one set of parameters, and another one under another installation’s key', async () => {
    const parameters = newParameters(undefined)
    const hash = await hashPassword(sealer, 'a horse that reads', parameters)
    assert.equal(await hashPassword(sealer, 'a horse that reads', parameters), hash)
    assert.notEqual(await hashPassword(sealer, 'a horse that read', parameters), hash)
    assert.notEqual(await hashPassword(new Sealer(Buffer.alloc(32, 8)), 'a horse that reads', parameters), hash)
  })

  it('gives the same hash in another Unicode form of the same characters', async () => {
    const parameters = newParameters(undefined)
    const hash = await hashPassword(sealer, 'Zoë reads books', parameters)
    assert.equal(await hashPassword(sealer, 'Zoe\u0308 reads books', parameters), hash)
  })

  it('gets a random salt for a new address, and the salt of a known address at the current cost', () => {
    const parameters = newParameters(undefined)
    assert.notEqual(newParameters(undefined), parameters)
    assert.equal(parametersOf(`${parameters}$aGFzaA`), parameters)
    assert.equal(newParameters(`${parameters.replace('t=2', 't=1')}$aGFzaA`), parameters)
    assert.equal(newParameters(`${parameters.replace('m=19456', 'm=8192')}$aGFzaA`), parameters)
  })

  it('has 10 to 256 characters and is not easy to guess', () => {
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
    for (const common of common_passwords) assert.ok(common.length >= console_limits.password_chars_min, common)
  })

  it('is refused if too many wait for hashing', async () => {
    const all = console_limits.passwords_hashed_max + console_limits.passwords_waiting_max
    const hashed = await Promise.allSettled(
      Array.from({ length: all + 5 }, () => hashPassword(sealer, 'a horse that reads', newParameters(undefined))),
    )
    const refused = hashed.flatMap((each) => (each.status === 'rejected' ? [each.reason as Refusal] : []))
    assert.deepEqual(
      refused.map(({ code }) => code),
      Array(5).fill('too_many_attempts'),
    )
    const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/
    assert.match(await hashPassword(sealer, 'a horse that reads', newParameters(undefined)), form)
  })
})

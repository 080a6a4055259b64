/** Values of runs as people see them hold no secret, in whatever form it stands in a text, and stay JSON. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shownText, withoutSecrets } from './shown-values.ts'

const shown = (value: unknown): unknown => JSON.parse(shownText(value) ?? 'null')
const key = `atr_live_${'k'.repeat(36)}`

describe('shown values', () => {
  it('mask a parameter of every address, also behind other addresses', () => {
    const addresses = { url: 'https://x.example/?page=1', next: 'https://y.example/?size=2&token=hush' }
    assert.deepEqual(shown(addresses), { ...addresses, next: 'https://y.example/?size=2&token=…' })
    assert.equal(
      shown('https://x.example/?then=https://y.example/?token=hush'),
      'https://x.example/?then=https://y.example/?token=…',
    )
    assert.equal(
      shown('?then=https%3A%2F%2Fy.example%2F%3Ftoken%3Dhush%26a%3Db'),
      '?then=https%3A%2F%2Fy.example%2F%3Ftoken%3D…%26a%3Db',
    )
    assert.equal(shown('https://x.example/#access_token=hush'), 'https://x.example/#access_token=…')
  })

  it('stay JSON with all other values', () => {
    const call = { url: 'https://x.example/?token=hush', method: 'POST', body: { size: 3 } }
    assert.deepEqual(shown(call), { ...call, url: 'https://x.example/?token=…' })
    const named = { url: 'https://x.example', method: 'POST', body: { email: 'anna@x.example' } }
    assert.deepEqual(shown(named), named)
  })

  it('mask passwords of addresses whole', () => {
    assert.equal(shown('postgres://ada:hu@sh@x.example/db'), 'postgres://ada:…@x.example/db')
    assert.equal(shown('See https://ada:hush@x.example?a=b@c'), 'See https://ada:…@x.example?a=b@c')
  })

  it('mask values in JSON and in fields of a form that stand in a text', () => {
    const inner = JSON.stringify({ user: 'ada', password: 'hush', more: JSON.stringify({ api_key: 'hush' }) })
    const body = JSON.parse((shown({ body: inner }) as { body: string }).body)
    assert.deepEqual([body.user, body.password, body.more], ['ada', '…', '{"api_key":"…"}'])
    assert.equal(shown('client_secret=hush&grant=x'), 'client_secret=…&grant=x')
    assert.equal(shown('Sent {"token": "hu\\"sh", "size": "3"} at noon'), 'Sent {"token": "…", "size": "3"} at noon')
    const harmless = '{ "user": "ada",  "n": 1.0 }'
    assert.equal(shown(harmless), harmless)
  })

  it('mask cookies, passphrases and private keys', () => {
    const sent = {
      Cookie: 'sid=hush',
      'Set-Cookie': 'hush',
      passphrase: 'hush',
      private_key: 'hush',
      privateKey: 'hush',
    }
    assert.deepEqual(Object.values(withoutSecrets(sent) as object), ['…', '…', '…', '…', '…'])
  })

  it('cut credentials of Atrium that are names of fields', () => {
    assert.deepEqual(withoutSecrets({ [key]: 1 }), { 'atr_live_…': 1 })
  })

  it('show nothing below 64 levels, however deep a value is', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    assert.match(shownText(deep) ?? '', /^(\{"a":){64}"…"\}+$/)
    assert.match(shownText(JSON.stringify(deep)) ?? '', /…/)
  })
})

/** Credentials: accepted only as Bearer, refused alike whatever the fault, in no log and no table (contract/07). */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { makeCredential } from '../../src/api/declare/credential-format.ts'
import { catalogue } from '../../src/catalogue.ts'
import type { CallOptions } from '../call.ts'
import { onEveryWorld } from '../world.ts'
import { assertEnvelope, assertRefused, comparable } from './answers.ts'
import { change, revoke, storedText } from './stored.ts'

onEveryWorld('credentials', (world) => {
  const logged: string[] = []
  before(async () => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      world.services.log[level] = (message, fields) => void logged.push(JSON.stringify([message, fields]))
    }
  })

  const me = (options: CallOptions) => world.get('/v1/me', options)
  const withHeader = (authorization: string) => me({ key: null, headers: { authorization } })

  it('are required by every operation', async () => {
    for (const operation of catalogue) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'x')
      const reply = await world.call(operation.method, path, { key: null })
      assertRefused(reply, 'missing_api_key', null, operation.id)
      assert.equal(reply.headers['www-authenticate'], 'Bearer')
    }
    assertRefused(await withHeader(''), 'missing_api_key')
  })

  it('are accepted only as a Bearer credential, the scheme in any case', async () => {
    const { key } = world.acme
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      assert.equal((await withHeader(`${scheme} ${key}`)).status, 200, scheme)
    }
    for (const wrong of [
      key,
      `Basic ${key}`,
      `Bearer${key}`,
      `Token ${key}`,
      `ApiKey ${key}`,
      'Bearer',
      `Bearer ${key} x`,
      `Bearer "${key}"`,
    ]) {
      assertRefused(await withHeader(wrong), 'invalid_api_key', null, wrong.replace(key, 'KEY'))
    }
    const basic = `Basic ${Buffer.from(`${key}:`).toString('base64')}`
    assertRefused(await withHeader(basic), 'invalid_api_key')
    for (const name of ['x-api-key', 'api-key', 'cookie', 'proxy-authorization']) {
      assertRefused(await me({ key: null, headers: { [name]: key } }), 'missing_api_key', null, name)
    }
    assertRefused(await world.post('/v1/workspaces', { title: 'x', api_key: key }, { key: null }), 'missing_api_key')
  })

  it('get the same answer whether malformed, mistyped, unknown, expired or revoked', async () => {
    const now = world.clock.now()
    const expiring = await world.key({ expiresAt: now + 10_000 })
    const revoked = await world.key()
    assert.equal((await me({ key: revoked.secret })).status, 200)
    assert.equal((await me({ key: expiring.secret })).status, 200)
    await change(world, revoke, { realm: world.acme.realms.live, id: revoked.id, now })
    world.clock.set(now + 10_000)
    const flipped = world.acme.key.endsWith('A') ? 'B' : 'A'
    const wrong = {
      malformed: 'atr_live_x',
      'not ours': 'sk_live_0123456789',
      'wrong checksum': world.acme.key.slice(0, -1) + flipped,
      unknown: makeCredential('api_key', 'live'),
      'unknown of the test realm': makeCredential('api_key', 'test'),
      expired: expiring.secret,
      revoked: revoked.secret,
    }
    const expected = comparable(await me({ key: makeCredential('api_key', 'live') }))
    for (const [what, key] of Object.entries(wrong)) {
      const reply = await me({ key })
      assertRefused(reply, 'invalid_api_key', null, what)
      assert.deepEqual(comparable(reply), expected, what)
    }
  })

  it('expire at the millisecond of expires_at', async () => {
    const expiresAt = world.clock.now() + 5000
    const { secret } = await world.key({ expiresAt })
    world.clock.set(expiresAt - 1)
    assert.equal((await me({ key: secret })).status, 200)
    world.clock.set(expiresAt)
    assertRefused(await me({ key: secret }), 'invalid_api_key')
  })

  it('that begin with atr_at_ are refused as access tokens', async () => {
    const now = world.clock.now()
    const owner = { type: 'application', id: 'app_01J00000000000000000000000' } as const
    const token = await world.key({ kind: 'access_token', owner, expiresAt: now + 3_600_000 })
    const reply = await me({ key: token.secret })
    assert.deepEqual([reply.status, reply.body.owner], [200, owner])
    world.clock.set(now + 3_600_000)
    const expected = comparable(await me({ key: 'atr_at_live_x' }))
    for (const key of [token.secret, 'atr_at_', makeCredential('access_token', 'live'), `${token.secret}x`]) {
      const refused = await me({ key })
      assertRefused(refused, 'invalid_access_token', null)
      assert.deepEqual(comparable(refused), expected)
    }
  })

  it('are cached for less than a second after another process revokes them', async () => {
    const { id, secret } = await world.key()
    assert.equal((await me({ key: secret })).status, 200)
    await world.services.store.write('system', async (tx) => {
      await tx.run(revoke, { realm: world.acme.realms.live, id, now: world.clock.now() })
    })
    world.clock.advance(1000)
    assertRefused(await me({ key: secret }), 'invalid_api_key')
  })

  it('in a URL are refused before every other check and appear in no log', async () => {
    const valid = (await world.key()).secret
    const guess = makeCredential('api_key', 'live')
    const token = makeCredential('access_token', 'live')
    const escaped = (text: string) => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')
    for (const key of [valid, guess, token]) {
      const urls = [
        `/v1/workspaces/${key}`,
        `/v1/${key}`,
        `/${key}/v1`,
        `/v1/workspaces?api_key=${key}`,
        `/v1/workspaces?${key}=1`,
        `/v1/workspaces?${key}`,
        `/v1/workspaces?limit=1&x=Bearer%20${key}`,
        `/v1/workspaces?x=${escaped(key)}`,
        `/v1/workspaces/${escaped(key)}`,
        `/v1/workspaces?x=${key.replace('_', '%5F')}`,
        `/v1/workspaces?x=${escaped(key).replaceAll('%', '%25')}`,
        `/nowhere?x=${key}`,
        `/v1/me?x=${key}`,
        `/v1?${key}`,
      ]
      for (const url of urls) {
        for (const sent of [world.acme.key, null]) {
          const reply = await world.get(url, { key: sent })
          assertRefused(reply, 'invalid_api_key', null, url.replace(key, 'KEY'))
          assert.equal(reply.headers['www-authenticate'], 'Bearer')
          assert.ok(!reply.text.includes(key.slice(-30)))
        }
      }
      assertRefused(await world.post(`/v1/workspaces?key=${key}`, { title: 'x' }), 'invalid_api_key')
      assertRefused(await world.call('PUT', `/v1/workspaces?key=${key}`), 'invalid_api_key')
    }
    const everything = (await storedText(world)) + logged.join('\n')
    for (const key of [valid, guess, token])
      assert.ok(!everything.includes(key.slice(9, 39)), 'a secret is stored or logged')
  })

  it('in another header or a field name appear in no log', async () => {
    const { secret } = await world.key()
    const headers = { 'user-agent': `curl ${secret}`, referer: `https://x.example/${secret}` }
    const reply = await world.post('/v1/workspaces', { title: 'Leak' }, { headers })
    assert.equal(reply.status, 200)
    const misnamed = await world.post('/v1/workspaces', { title: 'Leak', [secret]: 1 }, { headers })
    assertRefused(misnamed, 'invalid_request_body')
    assert.ok(!misnamed.text.includes(secret.slice(9, 39)), 'an error shows a secret')
    assertRefused(await world.get('/v1/me', { key: 'atr_live_x', headers }), 'invalid_api_key')
    const everything = (await storedText(world)) + logged.join('\n')
    assert.ok(!everything.includes(secret.slice(9, 39)), 'a secret is stored or logged')
  })

  it('are refused with 503 and Retry-After when the store is unavailable', async () => {
    const { credentials } = world.services
    credentials.forget()
    const { reader } = world.services.store
    const { StoreUnavailable } = await import('../../src/db/store.ts')
    const down = () => Promise.reject(new StoreUnavailable('down'))
    world.services.store.reader = () => ({ dialect: world.services.store.dialect, all: down, first: down })
    try {
      const reply = await me({})
      assertRefused(reply, 'credential_validation_unavailable', null)
      assert.equal(reply.headers['retry-after'], '1')
    } finally {
      world.services.store.reader = reader
    }
    const reply = await me({})
    assert.equal(reply.status, 200)
    assert.throws(() => assertEnvelope(reply))
  })
})

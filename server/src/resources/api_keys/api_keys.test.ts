import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld, started_at } from '../../../test/world.ts'
import { type Placeholder, query } from '../../db/query.ts'

const findRow = query((db, p: Placeholder<{ id: string }>) =>
  db.selectFrom('credentials').selectAll().where('id', '=', p('id')),
)
const findKept = query((db, p: Placeholder<{ key: string }>) =>
  db.selectFrom('idempotency').select('body').where('key', '=', p('key')),
)
const findUses = query((db, p: Placeholder<{ id: string }>) =>
  db.selectFrom('credential_uses').selectAll().where('id', '=', p('id')),
)
const never = 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV'

onEveryWorld('API keys', (world) => {
  const create = (fields: object = {}, options: object = {}) =>
    world.make('/v1/api_keys', { name: 'Reporting', scopes: ['tasks:read'], ...fields }, options)
  const withoutId = (text: string) => text.replace(/req_\w+/, '')

  it('creating a key answers with its secret, and writes an event and an audit entry without it', async () => {
    await world.markWritten()
    const { secret, ...key } = await create({ scopes: ['tasks:read', 'api:manage'] })
    assert.deepEqual(key, {
      id: key.id,
      object: 'api_key',
      created: 1785844800,
      updated: 1785844800,
      name: 'Reporting',
      hint: secret.slice(0, 13),
      last4: secret.slice(-4),
      scopes: ['tasks:read', 'api:manage'],
      owner: { type: 'organization', id: world.acme.id },
      mode: 'live',
      api_version: '2026-08-03',
      status: 'active',
      expires_at: null,
      previous_secret_expires_at: null,
      last_used_at: null,
      revision: 1,
    })
    assert.match(secret, /^atr_live_[0-9A-Za-z]{36}$/)
    await world.assertWritten({ events: ['platform.api_key.created'], audit: ['api_keys.create'] })
    assert.equal((await world.get('/v1/me', { key: secret })).body.id, key.id)
    const list = await world.get('/v1/api_keys?limit=1')
    assert.deepEqual(list.body.data, [key])
    const audit = await world.get('/v1/audit_logs?limit=1')
    assert.ok(!audit.text.includes(secret) && !list.text.includes(secret))
  })

  it('a replay answers the same secret, stored sealed; another credential creates another key', async () => {
    const body = { name: 'Once', scopes: ['tasks:read'] }
    const first = await world.post('/v1/api_keys', body, { idempotencyKey: 'once' })
    const again = await world.post('/v1/api_keys', body, { idempotencyKey: 'once' })
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    const kept = await world.services.store.reader('system').all(findKept, { key: 'once' })
    assert.equal(kept.length, 1)
    assert.ok(!kept[0]?.body.includes(first.body.secret))
    const other = await world.key()
    const others = await world.post('/v1/api_keys', body, { idempotencyKey: 'once', key: other.secret })
    assert.notEqual(others.body.id, first.body.id)
  })

  it('a new name writes an event; an equal name changes nothing', async () => {
    const { secret, ...key } = await create()
    await world.markWritten()
    const renamed = await world.patch(`/v1/api_keys/${key.id}`, { name: 'Nightly' })
    assert.deepEqual(renamed.body, { ...key, name: 'Nightly', revision: 2 })
    await world.patch(`/v1/api_keys/${key.id}`, { name: 'Nightly' })
    await world.assertWritten({ events: ['platform.api_key.updated'], audit: ['api_keys.update'] })
    const [event] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual(event.data, { object: renamed.body, previous_attributes: { name: 'Reporting', revision: 1 } })
    assert.equal((await world.get('/v1/me', { key: secret })).status, 200)
    assert.equal((await world.patch(`/v1/api_keys/${key.id}`, { scopes: ['api:read'] })).status, 400)
  })

  it('a scope that the creator lacks is refused with 403 by name and writes nothing', async () => {
    const creator = await world.key({ scopes: ['api:manage', 'tasks:read'] })
    await world.markWritten()
    const body = { name: 'More', scopes: ['tasks:read', 'billing:write'] }
    const reply = await world.post('/v1/api_keys', body, { key: creator.secret })
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'insufficient_scope'])
    assert.match(reply.body.error.message, /billing:write/)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a token may create keys of its realm, which belong to the organization', async () => {
    const owner = { type: 'application', id: 'app_1' } as const
    const token = await world.key({ kind: 'access_token', mode: 'test', owner })
    const key = await create({}, { key: token.secret })
    assert.deepEqual([key.mode, key.owner], ['test', { type: 'organization', id: world.acme.id }])
    assert.match(key.secret, /^atr_test_/)
  })

  it('wrong values of name, scopes and expires_at are refused by name', async () => {
    const wrong: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(501) }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['tasks:read', 'tasks:read'] }, 'scopes'],
      [{ scopes: ['tasks:read', 'tasks:everything'] }, 'scopes[1]'],
      [{ expires_at: started_at / 1000 }, 'expires_at'],
      [{ expires_at: 1.5 }, 'expires_at'],
      [{ expires_at: Number.MAX_SAFE_INTEGER }, 'expires_at'],
      [{ mode: 'test' }, 'mode'],
    ]
    for (const [fields, param] of wrong) {
      const reply = await world.post('/v1/api_keys', { name: 'x', scopes: ['tasks:read'], ...fields })
      assert.deepEqual([reply.status, reply.body.error.param], [400, param], JSON.stringify(fields))
    }
  })

  it('an expired key is listed as expired, refused, and can be deleted', async () => {
    const key = await create({ expires_at: world.services.clock.now() / 1000 + 10 })
    assert.deepEqual([key.status, key.expires_at], ['active', 1785844810])
    assert.equal((await world.get('/v1/me', { key: key.secret })).status, 200)
    world.clock.advance(10_000)
    assert.equal((await world.get('/v1/me', { key: key.secret })).body.error.code, 'invalid_api_key')
    assert.equal((await world.get('/v1/api_keys?limit=1')).body.data[0].status, 'expired')
    assert.equal((await world.delete(`/v1/api_keys/${key.id}`)).status, 200)
  })

  it('a deleted key is refused at once, also during use, and its id is not found', async () => {
    const { secret, ...key } = await create({ scopes: ['api:read'] })
    await world.get('/v1/me', { key: secret })
    await world.markWritten()
    const uses = Array.from({ length: 20 }, () => world.get('/v1/me', { key: secret }))
    const reply = await world.delete(`/v1/api_keys/${key.id}`)
    assert.deepEqual(reply.body, { id: key.id, object: 'api_key', deleted: true })
    assert.equal((await world.get('/v1/me', { key: secret })).status, 401)
    await Promise.all(uses)
    assert.equal((await world.get('/v1/me', { key: secret })).body.error.code, 'invalid_api_key')
    await world.assertWritten({ events: ['platform.api_key.deleted'], audit: ['api_keys.delete'] })
    const again = await world.delete(`/v1/api_keys/${key.id}`)
    assert.equal(again.status, 404)
    assert.equal(withoutId(again.text), withoutId((await world.delete(`/v1/api_keys/${never}`)).text))
  })

  it('only the id of a deleted key remains stored', async () => {
    const key = await create({ name: 'Forgotten', expires_at: 1900000000 })
    await world.delete(`/v1/api_keys/${key.id}`)
    const row = await world.services.store.reader('system').first(findRow, { id: key.id })
    assert.deepEqual(
      { ...row },
      {
        ...row,
        digest: null,
        name: '',
        hint: '',
        last4: '',
        scopes: '[]',
        owner_type: '',
        owner_id: '',
        expires_at: null,
        last_used_at: null,
      },
    )
  })

  it('the calling key can delete itself: it gets the answer, and a repeated request is refused', async () => {
    const key = await create({ scopes: ['api:manage'] })
    const options = { key: key.secret, idempotencyKey: 'farewell' }
    assert.equal((await world.delete(`/v1/api_keys/${key.id}`, options)).status, 200)
    const again = await world.delete(`/v1/api_keys/${key.id}`, options)
    assert.deepEqual([again.status, again.body.error.code], [401, 'invalid_api_key'])
  })

  it('the last use is shown by the list and by changes, and a deleted key leaves none', async () => {
    const { credentials, store } = world.services
    const key = await create({ scopes: ['api:manage'] })
    const listed = async () => (await world.get('/v1/api_keys?limit=1')).body.data[0]
    assert.equal((await listed()).last_used_at, null)
    assert.equal((await world.get('/v1/me', { key: key.secret })).status, 200)
    await credentials.writeUses()
    assert.deepEqual([(await listed()).id, (await listed()).last_used_at], [key.id, key.created])
    const changed = await world.patch(`/v1/api_keys/${key.id}`, { name: 'Used' })
    assert.deepEqual([changed.status, changed.body.last_used_at], [200, key.created])
    const uses = () => store.reader('system').all(findUses, { id: key.id })
    assert.equal((await uses()).length, 1)
    assert.equal((await world.delete(`/v1/api_keys/${key.id}`, { key: key.secret })).status, 200)
    await credentials.writeUses()
    assert.deepEqual(await uses(), [])
  })

  it('a key of another organization or realm and a token are not found', async () => {
    const token = await world.key({ kind: 'access_token' })
    const test = await create({}, { key: world.acme.testKey })
    const missing = withoutId((await world.delete(`/v1/api_keys/${never}`)).text)
    for (const id of [world.globex.keyId, token.id, test.id]) {
      const reply = await world.delete(`/v1/api_keys/${id}`)
      assert.deepEqual([reply.status, withoutId(reply.text)], [404, missing])
    }
    assert.equal((await world.get('/v1/me', { key: token.secret })).status, 200)
  })

  it("the list shows the realm's keys without tokens, in pages in both directions, also from a deleted key", async () => {
    const [first, second, third] = [await create(), await create(), await create()]
    const token = await world.key({ kind: 'access_token' })
    const ids = async (parameters: string) =>
      (await world.get(`/v1/api_keys?${parameters}`)).body.data.map((key: { id: string }) => key.id)
    assert.deepEqual(await ids('limit=3'), [third.id, second.id, first.id])
    await world.delete(`/v1/api_keys/${second.id}`)
    assert.deepEqual(await ids('limit=2'), [third.id, first.id])
    assert.deepEqual(await ids(`limit=1&starting_after=${second.id}`), [first.id])
    assert.deepEqual(await ids(`ending_before=${second.id}`), [third.id])
    for (const id of [token.id, world.globex.keyId, never]) {
      const reply = await world.get(`/v1/api_keys?starting_after=${id}`)
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'cursor_invalid'])
    }
    const inTest = await world.get('/v1/api_keys?limit=100', { key: world.acme.testKey })
    for (const key of inTest.body.data) assert.equal(key.mode, 'test')
  })

  it('an organization has at most 100 active keys in both realms; expired and deleted keys and tokens do not count', async () => {
    const { key, testKey } = world.globex
    await world.key({ kind: 'access_token' }, world.globex)
    const soon = world.services.clock.now() / 1000 + 5
    const made = [await create({ expires_at: soon }, { key })]
    for (let i = 0; i < 97; i++) made.push(await create({}, { key: i % 2 === 0 ? key : testKey }))
    const body = { name: 'Too many', scopes: ['tasks:read'] }
    for (const each of [key, testKey]) {
      const reply = await world.post('/v1/api_keys', body, { key: each })
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    world.clock.advance(5_000)
    await create({}, { key: testKey })
    assert.equal((await world.post('/v1/api_keys', body, { key })).status, 409)
    await world.delete(`/v1/api_keys/${made[1].id}`, { key })
    const twins = await Promise.all([
      world.post('/v1/api_keys', body, { key }),
      world.post('/v1/api_keys', body, { key: testKey }),
    ])
    assert.deepEqual(twins.map((twin) => twin.status).sort(), [200, 409])
  })

  it('a rolled key has a new secret and stays the same key; the old secret is valid as long as asked and no longer', async () => {
    const { secret: first, ...key } = await create()
    await world.markWritten()
    const { secret: second, ...rolled } = await world.make(`/v1/api_keys/${key.id}/roll`, { expires_in: 60 })
    const until = Math.floor(world.clock.now() / 1000) + 60
    const changed = {
      hint: second.slice(0, 13),
      last4: second.slice(-4),
      previous_secret_expires_at: until,
      revision: 2,
    }
    assert.deepEqual(rolled, { ...key, ...changed, updated: rolled.updated })
    await world.assertWritten({ events: ['platform.api_key.rolled'], audit: ['api_keys.roll'] })
    const statuses = async () => {
      const asked = [first, second].map(async (each) => (await world.get('/v1/me', { key: each })).status)
      return await Promise.all(asked)
    }
    assert.notEqual(second, first)
    assert.deepEqual((await world.get('/v1/me', { key: first })).body.id, key.id)
    assert.deepEqual(await statuses(), [200, 200])
    world.clock.advance(59_999)
    assert.deepEqual(await statuses(), [200, 200])
    world.clock.advance(1)
    assert.deepEqual(await statuses(), [401, 200])
    const shown = (await world.get('/v1/api_keys?limit=1')).body.data[0]
    assert.deepEqual([shown.id, shown.previous_secret_expires_at], [key.id, null])
    const { text } = await world.get('/v1/events?limit=3')
    assert.ok(!text.includes(first) && !text.includes(second))
  })

  it('without `expires_in` the old secret has a day, with 0 it stops at once, and an even older one never outlives a roll', async () => {
    const { secret: first, id } = await create()
    const day = await world.make(`/v1/api_keys/${id}/roll`)
    assert.equal(day.previous_secret_expires_at, Math.floor(world.clock.now() / 1000) + 86_400)
    assert.equal((await world.get('/v1/me', { key: first })).status, 200)
    const second = await world.make(`/v1/api_keys/${id}/roll`, { expires_in: 604_800 })
    const third = await world.make(`/v1/api_keys/${id}/roll`, { expires_in: 0 })
    assert.equal(third.previous_secret_expires_at, null)
    const statuses = await Promise.all(
      [first, day.secret, second.secret, third.secret].map(async (key) => (await world.get('/v1/me', { key })).status),
    )
    assert.deepEqual(statuses, [401, 401, 401, 200])
  })

  it('the answer with the new secret can be repeated by the credential that rolled, and is kept sealed', async () => {
    const { id } = await create()
    const roll = () => world.post(`/v1/api_keys/${id}/roll`, { expires_in: 0 }, { idempotencyKey: 'roll' })
    const [first, again] = [await roll(), await roll()]
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    const [kept] = await world.services.store.reader('system').all(findKept, { key: 'roll' })
    assert.ok(!kept?.body.includes(first.body.secret))
  })

  it('rolling needs every scope of the key, its owner if it acts for one, and a key that has not expired', async () => {
    const { id } = await create({ scopes: ['tasks:read', 'billing:write'] })
    const lesser = await world.key({ scopes: ['api:manage', 'tasks:read'] })
    const personal = await world.key({ owner: { type: 'user', id: world.acme.user } })
    const brief = await create({ expires_at: Math.floor(world.clock.now() / 1000) + 30 })
    world.clock.advance(30_000)
    await world.markWritten()
    const roll = (key: string, by?: string) =>
      world.post(`/v1/api_keys/${key}/roll`, undefined, by === undefined ? {} : { key: by })
    const refused = [await roll(id, lesser.secret), await roll(personal.id), await roll(brief.id)]
    assert.deepEqual(
      refused.map(({ body }) => body.error.code),
      ['insufficient_scope', 'insufficient_scope', 'resource_conflict'],
    )
    assert.match(refused[0]?.body.error.message, /billing:write/)
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await roll(personal.id, personal.secret)).status, 200)
  })
})

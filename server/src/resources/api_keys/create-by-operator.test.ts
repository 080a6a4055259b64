import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { worldOf } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import { scopes } from '../../api/declare/scopes.ts'
import { addMember } from '../members/write.ts'
import { createKey, createToken } from './create-by-operator.ts'

const refused = (code: string, param?: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code && error.options.param === param

onEveryEngine('credentials created by the operator', (engine) => {
  const world = worldOf(engine, { versions: [{ date: '2026-07-01' }] })
  const key = (fields: object = {}) => createKey(world.services, { organization: world.acme.id, ...fields })

  it('a key is live, has every scope and does not expire by default; the system is its actor', async () => {
    await world.markWritten()
    const { secret, ...made } = await key()
    assert.deepEqual(
      [made.scopes, made.mode, made.expires_at, made.owner],
      [[...scopes], 'live', null, { type: 'organization', id: world.acme.id }],
    )
    await world.assertWritten({ events: ['platform.api_key.created'], audit: ['api_keys.create'] })
    assert.deepEqual((await world.get('/v1/api_keys?limit=1')).body.data, [made])
    const audit = await world.get('/v1/audit_logs?limit=1', { key: secret })
    assert.deepEqual(audit.body.data[0].actor, { type: 'system', id: 'system' })
    assert.deepEqual(audit.body.data[0].target, { object: 'api_key', id: made.id })
    assert.ok(!audit.text.includes(secret))
  })

  it('name, scopes, mode, owner, lifetime and version can be chosen', async () => {
    const user = (await addMember(world.services, world.acme.id, { email: 'ada@acme.example' })).user
    const made = await key({
      name: 'Deploy',
      scopes: ['tasks:read'],
      mode: 'test',
      owner: `user:${user}`,
      expires_in: 60,
      version: '2026-07-01',
    })
    const { body } = await world.get('/v1/me', { key: made.secret })
    assert.deepEqual(
      [made.name, body.scopes, body.mode, body.owner, body.api_version, made.expires_at],
      ['Deploy', ['tasks:read'], 'test', { type: 'user', id: user }, '2026-07-01', 1785844860],
    )
    world.clock.advance(60_000)
    assert.equal((await world.get('/v1/me', { key: made.secret })).status, 401)
    const owned = await key({ owner: 'application:app_reports', scopes: 'all' })
    assert.deepEqual(owned.owner, { type: 'application', id: 'app_reports' })
  })

  it('wrong values are refused by name and write nothing', async () => {
    const inactive = await addMember(world.services, world.acme.id, { email: 'ben@acme.example', status: 'inactive' })
    await world.markWritten()
    const wrong: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['tasks:everything'] }, 'scopes[0]'],
      [{ mode: 'dry' }, 'mode'],
      [{ owner: 'nobody' }, 'owner'],
      [{ owner: `user:${world.globex.user}` }, 'owner'],
      [{ owner: `user:${inactive.user}` }, 'owner'],
      [{ owner: 'application:' }, 'owner'],
      [{ expires_in: 0 }, 'expires_in'],
      [{ version: '1999-01-01' }, 'version'],
    ]
    for (const [fields, param] of wrong) {
      await assert.rejects(key(fields), refused('invalid_request_body', param), JSON.stringify(fields))
    }
    await assert.rejects(key({ organization: 'org_none' }), refused('resource_not_found', 'organization'))
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a token is valid for an hour, belongs to its application, and has an audit entry and no event', async () => {
    await world.markWritten()
    const now = world.services.clock.now()
    const token = await createToken(world.services, {
      organization: world.acme.id,
      application: 'Reports',
      scopes: ['api:read'],
    })
    assert.deepEqual(token, { id: token.id, secret: token.secret, expires_at: now / 1000 + 3600 })
    assert.match(token.secret, /^atr_at_live_/)
    await world.assertWritten({ events: [], audit: ['access_tokens.create'] })
    const { body } = await world.get('/v1/me', { key: token.secret })
    assert.deepEqual([body.id, body.owner], [token.id, { type: 'application', id: 'Reports' }])
    world.clock.advance(3_600_000)
    assert.equal((await world.get('/v1/me', { key: token.secret })).body.error.code, 'invalid_access_token')
  })

  it('the lifetime of a token can be chosen in both realms', async () => {
    const made = { organization: world.acme.id, application: 'Reports', mode: 'test', expires_in: 7_200 } as const
    const token = await createToken(world.services, made)
    assert.equal(token.expires_at, world.services.clock.now() / 1000 + 7_200)
    assert.equal((await world.get('/v1/me', { key: token.secret })).body.mode, 'test')
    await assert.rejects(
      createToken(world.services, { ...made, application: '' }),
      refused('invalid_request_body', 'application'),
    )
  })

  it('the limit of 100 active keys applies to the operator too', async () => {
    for (let i = 0; i < 98; i++)
      await createKey(world.services, { organization: world.globex.id, scopes: ['tasks:read'] })
    await assert.rejects(createKey(world.services, { organization: world.globex.id }), refused('resource_conflict'))
  })
})

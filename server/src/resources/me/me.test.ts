import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { worldOf } from '../../../test/world.ts'
import { scopes } from '../../api/declare/scopes.ts'

onEveryEngine('me', (engine) => {
  const world = worldOf(engine, {
    environment: { ATRIUM_CREDITS_PER_MINUTE: '5000', ATRIUM_CREDITS_PER_DAY: 'unlimited' },
  })

  it('shows the identity and the rights of the credential', async () => {
    const reply = await world.get('/v1/me')
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, {
      id: world.acme.keyId,
      object: 'api_identity',
      created: 1785844800,
      organization: { id: world.acme.id, object: 'organization' },
      owner: { type: 'organization', id: world.acme.id },
      scopes: [...scopes],
      plan: 'enterprise',
      mode: 'live',
      api_version: '2026-08-03',
      limits: { credits_per_minute: 5000, credits_per_day: null },
    })
    assert.equal(reply.headers['x-ratelimit-cost'], '1')
  })

  it("answers an application's token without scopes, with its id, owner and mode", async () => {
    const token = await world.key({
      kind: 'access_token',
      mode: 'test',
      scopes: [],
      owner: { type: 'application', id: 'app_reports' },
    })
    const { body } = await world.get('/v1/me', { key: token.secret })
    assert.equal(body.id, token.id)
    assert.match(body.id, /^[a-z][a-z0-9]{1,7}_[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.deepEqual([body.owner, body.scopes, body.mode], [{ type: 'application', id: 'app_reports' }, [], 'test'])
  })

  it('ignores unknown query parameters and an unsupported Service-Version', async () => {
    const reply = await world.get('/v1/me?nonsense=1', { headers: { 'service-version': '1999-01-01' } })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['service-version'], '2026-08-03')
  })
})

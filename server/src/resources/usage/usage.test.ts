import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { started_at, worldOf } from '../../../test/world.ts'

onEveryEngine('usage', (engine) => {
  const world = worldOf(engine, {
    environment: {
      ATRIUM_CREDITS_PER_MINUTE: '600',
      ATRIUM_CREDITS_PER_DAY: '10000',
      ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
    },
  })
  const midnight = Date.parse('2026-08-05T00:00:00Z') / 1000

  it('shows the three windows including this request, and null for unlimited', async () => {
    const key = await world.key({ scopes: ['api:read'] })
    assert.equal((await world.get('/v1/members', { key: key.secret })).status, 200)
    const reply = await world.get('/v1/usage?nonsense=1', { key: key.secret })
    assert.equal(reply.status, 200)
    const { plan_day, ...body } = reply.body
    assert.deepEqual(body, {
      object: 'usage',
      credential: key.id,
      plan: 'enterprise',
      mode: 'live',
      minute: { limit: 600, used: 11, remaining: 589, resets_at: started_at / 1000 + 60 },
      day: { limit: 10000, used: 11, remaining: 9989, resets_at: midnight },
    })
    assert.deepEqual([plan_day.limit, plan_day.remaining, plan_day.resets_at], [null, null, midnight])
    assert.equal(reply.headers['x-ratelimit-remaining'], '589')
    assert.equal(reply.headers['x-ratelimit-cost'], '1')
  })

  it("the plan's day counts all credentials of the organization in both realms, the minute only the caller's", async () => {
    const first = await world.key({ scopes: ['api:read'] }, world.globex)
    const second = await world.key({ scopes: ['api:read'], mode: 'test' }, world.globex)
    await world.get('/v1/members', { key: first.secret })
    const { body } = await world.get('/v1/usage', { key: second.secret })
    assert.deepEqual([body.minute.used, body.plan_day.used], [1, 11])
  })

  it('a new minute begins with no credits used', async () => {
    const key = await world.key({ scopes: ['api:read'] })
    await world.get('/v1/usage', { key: key.secret })
    world.clock.advance(60_000)
    const { body } = await world.get('/v1/usage', { key: key.secret })
    assert.deepEqual([body.minute.used, body.day.used], [1, 2])
  })

  it('needs api:read', async () => {
    const key = await world.key({ scopes: ['tasks:read'] })
    assert.equal((await world.get('/v1/usage', { key: key.secret })).body.error.code, 'insufficient_scope')
  })
})

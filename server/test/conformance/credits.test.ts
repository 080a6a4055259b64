/**
 * Charges, windows and rate-limit headers (contract/04). `atrium conform` tries the price of each operation
 * (server/test/conform).
 */
import assert from 'node:assert/strict'
import { afterEach, before, it } from 'node:test'
import type { Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { populate } from '../things.ts'
import { openFirst, openWorld, started_at, type World, worldOf } from '../world.ts'
import { assertRefused } from './answers.ts'
import { change, setPlan } from './stored.ts'

const minute = 60_000
const day = 86_400_000

/** Credits that a key has used in a window, without those of this request. */
async function used(world: World, key: string, window: 'minute' | 'day' | 'plan_day' = 'minute'): Promise<number> {
  const { body } = await world.get('/v1/usage', { key })
  return body[window].used - 1
}

/** Asserts what requests cost. */
async function assertCharged(world: World, key: string, cost: number, send: () => Promise<unknown>): Promise<void> {
  const earlier = await used(world, key)
  await send()
  assert.equal((await used(world, key)) - earlier - 1, cost)
}

interface Item {
  readonly name: string
  readonly [parameter: string]: string | number
}

/** A list of RFC 9651 strings with integer parameters. */
function parseItems(header: string | undefined): Item[] {
  return (header ?? '').split(', ').map((item) => {
    const [, name, parameters] = /^"([a-z_]+)"((?:;[a-z]+=\d+)+)$/.exec(item) ?? []
    assert.ok(name !== undefined && parameters !== undefined, item)
    const pairs = parameters.slice(1).split(';')
    return { name, ...Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], Number(pair.split('=')[1])])) }
  })
}

function windows(reply: Reply): string[] {
  return ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) => String(reply.headers[name]))
}

onEveryEngine('charging', (engine) => {
  const world = worldOf(engine, {
    environment: {
      ATRIUM_CREDITS_PER_MINUTE: '1000000',
      ATRIUM_CREDITS_PER_DAY: '2000000',
      ATRIUM_CREDITS_PER_PLAN_DAY: '3000000',
    },
  })
  const things = openFirst(() => populate(world))
  let key: string
  before(async () => {
    key = (await world.key()).secret
  })

  it('a 304 costs nothing and names no price', async () => {
    const { headers } = await world.get('/v1/workspaces', { key })
    await assertCharged(world, key, 0, async () => {
      const reply = await world.get('/v1/workspaces', { key, headers: { 'if-none-match': String(headers.etag) } })
      assert.equal(reply.status, 304)
      assert.equal(reply.headers['x-ratelimit-cost'], undefined)
      assert.equal(reply.headers['x-ratelimit-limit'], '1000000')
    })
  })

  it('a replay costs nothing and names the list price', async () => {
    const options = { key, idempotencyKey: 'charged-once' }
    await assertCharged(world, key, 10, () => world.post('/v1/workspaces', { title: 'Once' }, options))
    await assertCharged(world, key, 0, async () => {
      const reply = await world.post('/v1/workspaces', { title: 'Once' }, options)
      assert.deepEqual([reply.headers['idempotent-replayed'], reply.headers['x-ratelimit-cost']], ['true', '10'])
    })
    await world.delete('/v1/tasks/tsk_never', { key, idempotencyKey: 'refused-once' })
    await assertCharged(world, key, 0, async () => {
      const reply = await world.delete('/v1/tasks/tsk_never', { key, idempotencyKey: 'refused-once' })
      assert.deepEqual([reply.status, reply.headers['idempotent-replayed']], [404, 'true'])
    })
  })

  it('400, 404, 409 and 410 cost one credit', async () => {
    const deleted = await things.fresh('task')
    await world.delete(`/v1/tasks/${deleted}`)
    const task = things.id('task')
    const mistakes: [number, () => Promise<Reply>][] = [
      [400, () => world.get('/v1/workspaces?limit=0', { key })],
      [400, () => world.get('/v1/workspaces?starting_after=wsp_x', { key })],
      [400, () => world.post('/v1/workspaces', {}, { key })],
      [400, () => world.post('/v1/workspaces', { title: 'x' }, { key, idempotencyKey: null })],
      [404, () => world.get('/v1/tasks/tsk_never', { key })],
      [409, () => world.patch(`/v1/tasks/${task}`, { title: 'x' }, { key, headers: { 'if-match': '99' } })],
      [409, () => world.post('/v1/workspaces', { title: 'y' }, { key, idempotencyKey: 'charged-once' })],
      [410, () => world.get(`/v1/tasks/${deleted}`, { key })],
      [400, () => world.get('/v1/tasks/count?sort=title', { key })],
    ]
    for (const [status, send] of mistakes) {
      await assertCharged(world, key, 1, async () => assert.equal((await send()).status, status))
    }
  })

  it('401, 402, 403, 500 and 503 cost nothing', async () => {
    const { secret } = await world.key({ scopes: ['api:read'] })
    await assertCharged(world, secret, 0, async () => {
      assert.equal((await world.post('/v1/workspaces', { title: 'x' }, { key: secret })).status, 403)
    })
    await assertCharged(world, key, 0, async () => {
      assert.equal((await world.get(`/v1/me?x=${key}`, { key })).status, 401)
      await change(world, setPlan, { organization: world.acme.id, plan: null })
      assert.equal((await world.get('/v1/me', { key })).status, 402)
      await change(world, setPlan, { organization: world.acme.id, plan: 'enterprise' })
      const disabled = world.services.disabledOperations as Set<string>
      disabled.add('me.retrieve')
      assert.equal((await world.get('/v1/me', { key })).status, 503)
      disabled.delete('me.retrieve')
    })
    world.services.log.error = () => {}
    const { counts } = world.services
    const { get } = counts
    await assertCharged(world, key, 0, async () => {
      counts.get = () => {
        throw new Error('broken')
      }
      assertRefused(await world.get('/v1/tasks/count', { key }), 'internal_error', null)
      counts.get = get
    })
  })
})

onEveryEngine('credit windows', (engine) => {
  let world: World
  const open = async (environment: Record<string, string>) => {
    world = await openWorld(engine, { environment })
    return (await world.key()).secret
  }
  afterEach(() => world.close())
  const spend = async (key: string, credits: number) => {
    for (let left = credits; left > 0; left -= left >= 50 ? 50 : 5) {
      const reply = await world.get(left >= 50 ? '/v1/tasks/count' : '/v1/workspaces', { key })
      assert.equal(reply.status, 200)
    }
  }

  it('refuse from the last credit to the end of the UTC minute', async () => {
    const key = await open({ ATRIUM_CREDITS_PER_MINUTE: '500' })
    await spend(key, 490)
    const reset = String((started_at + minute) / 1000)
    const tooDear = await world.get('/v1/tasks/count', { key })
    assertRefused(tooDear, 'rate_limit_exceeded', null)
    assert.deepEqual(windows(tooDear), ['500', '10', reset])
    assert.equal(tooDear.headers['retry-after'], '60')
    assert.equal((await world.get('/v1/workspaces', { key })).status, 200)
    assert.deepEqual(windows(await world.get('/v1/workspaces?limit=2', { key })), ['500', '0', reset])
    for (const [ms, seconds] of [
      [0, '60'],
      [1, '60'],
      [1000, '59'],
      [30_500, '30'],
      [59_999, '1'],
    ] as const) {
      world.clock.set(started_at + ms)
      const refused = await world.get('/v1/me', { key })
      assertRefused(refused, 'rate_limit_exceeded')
      assert.equal(refused.headers['retry-after'], seconds)
      assert.deepEqual(windows(refused), ['500', '0', reset])
    }
    const write = { key, idempotencyKey: 'too-early' }
    assertRefused(await world.post('/v1/workspaces', { title: 'Early' }, write), 'rate_limit_exceeded')
    world.clock.set(started_at + minute)
    const reply = await world.get('/v1/me', { key })
    assert.deepEqual([reply.status, ...windows(reply)], [200, '500', '499', String((started_at + 2 * minute) / 1000)])
    const late = await world.post('/v1/workspaces', { title: 'Late' }, write)
    assert.deepEqual([late.status, late.headers['idempotent-replayed']], [200, undefined], 'a 429 is not kept')
  })

  it('name the price, what is left and when in the 429', async () => {
    const key = await open({ ATRIUM_CREDITS_PER_MINUTE: '500', ATRIUM_CREDITS_PER_PLAN_DAY: '600' })
    await spend(key, 490)
    const dear = await world.get('/v1/tasks/count', { key })
    assert.equal(
      dear.body.error.message,
      'This request costs 50 credits; 10 of 500 are left in the UTC minute, which ends at 2026-08-04T12:01:00Z, in 60 seconds.',
    )
    world.clock.set(started_at + minute)
    await spend(key, 110)
    world.clock.set(started_at + day / 2 - 1)
    assert.equal(
      (await world.get('/v1/me', { key })).body.error.message,
      "This request costs 1 credit; 0 of 600 are left in the plan's UTC day, which ends at 2026-08-05T00:00:00Z, in 1 second.",
    )
  })

  it('are exceeded by usage and replays, by 60 a minute of each credential, which cost nothing', async () => {
    const key = await open({ ATRIUM_CREDITS_PER_MINUTE: '500' })
    const other = (await world.key()).secret
    const send = (title: string, idempotencyKey: string) =>
      world.post('/v1/workspaces', { title }, { key, idempotencyKey })
    const first = await send('Kept', 'kept')
    const refused = await world.delete('/v1/tasks/tsk_never', { key, idempotencyKey: 'refused' })
    assert.equal(refused.status, 404)
    await spend(key, 485)
    for (let i = 0; i < 4; i++) assert.equal((await world.get('/v1/me', { key })).status, 200)
    const usage = await world.get('/v1/usage', { key })
    assert.deepEqual([usage.status, usage.body.minute.used, usage.body.minute.remaining], [200, 500, 0])
    const replay = await send('Kept', 'kept')
    assert.deepEqual([replay.status, replay.text], [200, first.text])
    assert.deepEqual([replay.headers['idempotent-replayed'], replay.headers['x-ratelimit-cost']], ['true', '10'])
    const again = await world.delete('/v1/tasks/tsk_never', { key, idempotencyKey: 'refused' })
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [404, 'true'])
    assertRefused(await send('Other input', 'kept'), 'rate_limit_exceeded')
    assertRefused(await send('New', 'new'), 'rate_limit_exceeded')
    for (let answered = 3; answered < 60; answered++) {
      assert.equal((await world.get('/v1/usage', { key })).status, 200, String(answered))
    }
    assertRefused(await world.get('/v1/usage', { key }), 'rate_limit_exceeded')
    assertRefused(await send('Kept', 'kept'), 'rate_limit_exceeded')
    assert.equal((await world.get('/v1/usage', { key: other })).body.minute.used, 1)
    world.clock.set(started_at + minute)
    assert.equal((await world.get('/v1/usage', { key })).body.minute.used, 1)
  })

  it('let a 304 pass while a credit is left', async () => {
    const key = await open({ ATRIUM_CREDITS_PER_MINUTE: '500' })
    const { headers } = await world.get('/v1/workspaces', { key })
    const held = (etag: unknown) => world.get('/v1/workspaces', { key, headers: { 'if-none-match': String(etag) } })
    await spend(key, 490)
    for (let i = 0; i < 3; i++) assert.equal((await world.get('/v1/me', { key })).status, 200)
    for (let i = 0; i < 3; i++) {
      const reply = await held(headers.etag)
      assert.deepEqual([reply.status, windows(reply)[1]], [304, '2'])
    }
    for (let i = 0; i < 60; i++) assertRefused(await held('"other"'), 'rate_limit_exceeded')
    assertRefused(await held(headers.etag), 'rate_limit_exceeded')
    world.clock.set(started_at + minute)
    assert.equal((await held(headers.etag)).status, 304)
    await spend(key, 500)
    assertRefused(await held(headers.etag), 'rate_limit_exceeded')
  })

  it('end with the UTC day', async () => {
    const key = await open({ ATRIUM_CREDITS_PER_DAY: '500' })
    await spend(key, 500)
    const refused = await world.get('/v1/me', { key })
    assertRefused(refused, 'rate_limit_exceeded')
    assert.equal(refused.headers['retry-after'], String(12 * 3600))
    world.clock.set(started_at + day / 2 - 1)
    assert.equal((await world.get('/v1/me', { key })).headers['retry-after'], '1')
    world.clock.set(started_at + day / 2)
    const reply = await world.get('/v1/me', { key })
    assert.deepEqual([reply.status, ...windows(reply)], [200, '500', '499', String((started_at + 1.5 * day) / 1000)])
  })

  it('count credits that a process is returning as available', async () => {
    const key = await open({ ATRIUM_CREDITS_PER_MINUTE: '500', ATRIUM_CREDITS_PER_DAY: '500' })
    const { credits } = world.services
    for (let spent = 5; spent <= 100; spent += 5) {
      const giving = credits.close()
      const reply = await world.get('/v1/workspaces', { key })
      await giving
      assert.deepEqual([reply.status, reply.headers['x-ratelimit-remaining']], [200, String(500 - spent)])
    }
  })

  it('of the plan are shared by all keys of the organization, in both realms, and by no other', async () => {
    const first = await open({ ATRIUM_CREDITS_PER_PLAN_DAY: '500' })
    const second = (await world.key()).secret
    await spend(first, 250)
    await spend(second, 240)
    await spend(world.acme.testKey, 10)
    for (const key of [first, second, world.acme.testKey, (await world.key()).secret]) {
      const refused = await world.get('/v1/me', { key })
      assertRefused(refused, 'rate_limit_exceeded')
      assert.deepEqual(windows(refused).slice(0, 2), ['500', '0'])
    }
    assert.equal((await world.get('/v1/me', { key: world.globex.key })).status, 200)
  })

  it('are all reported; X-RateLimit-* names the one with the least remaining', async () => {
    const key = await open({
      ATRIUM_CREDITS_PER_MINUTE: '600',
      ATRIUM_CREDITS_PER_DAY: '700',
      ATRIUM_CREDITS_PER_PLAN_DAY: '650',
    })
    const policy = [
      { name: 'minute', q: 600, w: 60 },
      { name: 'day', q: 700, w: 86_400 },
      { name: 'plan_day', q: 650, w: 86_400 },
    ]
    world.clock.set(started_at + 20_500)
    const reply = await world.get('/v1/me', { key })
    assert.deepEqual(parseItems(reply.headers['ratelimit-policy']), policy)
    assert.deepEqual(parseItems(reply.headers.ratelimit), [
      { name: 'minute', r: 599, t: 40 },
      { name: 'day', r: 699, t: 43_180 },
      { name: 'plan_day', r: 649, t: 43_180 },
    ])
    assert.deepEqual(windows(reply).slice(0, 2), ['600', '599'])
    await spend(key, 100)
    world.clock.set(started_at + minute)
    const later = await world.get('/v1/me', { key })
    assert.deepEqual(windows(later), ['650', '548', String((started_at + day / 2) / 1000)])
  })

  it('without a limit are null and have no headers', async () => {
    const key = await open({})
    const reply = await world.get('/v1/usage', { key })
    for (const window of ['minute', 'day', 'plan_day']) {
      assert.deepEqual(
        [reply.body[window].limit, reply.body[window].remaining, reply.body[window].used],
        [null, null, 1],
      )
    }
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'ratelimit', 'ratelimit-policy']) {
      assert.equal(reply.headers[name], undefined, name)
    }
    assert.equal(reply.headers['x-ratelimit-cost'], '1')
  })

  it('have the limits of plan and mode unless the operator overrides them', async () => {
    const unset = { ATRIUM_CREDITS_PER_MINUTE: '', ATRIUM_CREDITS_PER_DAY: '', ATRIUM_CREDITS_PER_PLAN_DAY: '' }
    const limitsOf = async (key: string) => {
      const { body: me } = await world.get('/v1/me', { key })
      const { body: usage } = await world.get('/v1/usage', { key })
      assert.deepEqual([me.limits.credits_per_minute, me.limits.credits_per_day], [usage.minute.limit, usage.day.limit])
      return [usage.minute.limit, usage.day.limit, usage.plan_day.limit]
    }
    await open(unset)
    assert.deepEqual(await limitsOf(world.acme.key), [10_000, null, null])
    assert.deepEqual(await limitsOf(world.acme.testKey), [1000, 20_000, null])
    assert.deepEqual(await limitsOf(world.globex.key), [1000, 100_000, 500_000])
    assert.deepEqual(await limitsOf(world.globex.testKey), [1000, 20_000, 500_000])
    await world.close()
    await open({ ...unset, ATRIUM_CREDITS_PER_MINUTE: '777', ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited' })
    assert.deepEqual(await limitsOf(world.acme.testKey), [777, 20_000, null])
    assert.deepEqual(await limitsOf(world.globex.key), [777, 100_000, null])
    assert.deepEqual(await limitsOf(world.globex.testKey), [777, 20_000, null])
  })
})

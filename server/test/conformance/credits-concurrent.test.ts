/** Credit windows under concurrent requests: never over-granted, used up exactly (contract/04#several-processes). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { takeCredits, usedOf } from '../../src/api/credits/credit-windows.ts'
import type { RunningServer } from '../../src/main.ts'
import { call } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld, type World, worldOf } from '../world.ts'
import { startSecond } from './second-server.ts'

function count(statuses: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

onEveryEngine('concurrent requests', (engine) => {
  const world = worldOf(engine, {
    environment: { ATRIUM_CREDITS_PER_MINUTE: '1000', ATRIUM_CREDITS_PER_PLAN_DAY: '5000' },
  })

  const rounds: [name: string, requests: number, price: number, path: string, body?: object][] = [
    ['200 writes of 10 credits', 200, 10, '/v1/workspaces', { title: 'At once' }],
    ['300 lists of 5 credits', 300, 5, '/v1/workspaces?limit=1'],
    ['40 counts of 50 credits', 40, 50, '/v1/tasks/count'],
  ]
  for (const [name, requests, price, path, body] of rounds) {
    it(`${name} share a window of 1000: exactly as many succeed as fit`, async () => {
      const { secret: key } = await world.key()
      const replies = await Promise.all(
        Array.from({ length: requests }, () => (body ? world.post(path, body, { key }) : world.get(path, { key }))),
      )
      const fit = 1000 / price
      assert.deepEqual(count(replies.map((reply) => reply.status)), { 200: fit, 429: requests - fit })
      const remaining = replies.map((reply) => Number(reply.headers['x-ratelimit-remaining']))
      assert.equal(Math.min(...remaining), 0)
      assert.equal((await world.get('/v1/me', { key })).status, 429)
    })
  }

  it('of several keys share the pool of the plan', async () => {
    // The rounds above used 3000 of 5000 credits.
    const keys = await Promise.all(Array.from({ length: 5 }, async () => (await world.key()).secret))
    const sends = Array.from({ length: 60 }, (_, i) => world.get('/v1/tasks/count', { key: keys[i % 5] as string }))
    const statuses = (await Promise.all(sends)).map((reply) => reply.status)
    assert.deepEqual(count(statuses), { 200: 40, 429: 20 })
  })
})

describe('two processes over one PostgreSQL', () => {
  let world: World
  let second: RunningServer
  before(async () => {
    const environment = { ATRIUM_CREDITS_PER_MINUTE: '1000' }
    world = await openWorld('postgres', { environment })
    second = await startSecond(world, environment)
  })
  after(async () => {
    await second.close()
    await world.close()
  })

  for (const price of [1, 5, 10]) {
    it(`share a window exactly: requests of ${price} credits`, async () => {
      const { secret: key } = await world.key()
      const urls = [world.server.url, second.url]
      const send = (i: number) => {
        const url = urls[i % 2] as string
        if (price === 1) return call(url, 'GET', '/v1', { key })
        if (price === 5) return call(url, 'GET', '/v1/workspaces?limit=1', { key })
        return call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Shared' } })
      }
      const fit = 1000 / price
      let granted = 0
      let burst = 0
      // Bursts until neither process holds credits.
      for (;;) {
        const replies = await Promise.all(Array.from({ length: 200 }, (_, i) => send(i)))
        const good = replies.filter((reply) => reply.status === 200).length
        assert.deepEqual(
          replies.filter((reply) => reply.status !== 200 && reply.status !== 429),
          [],
        )
        granted += good
        assert.ok(granted <= fit, `${granted} of ${fit} were granted`)
        if (good === 0 || ++burst > 20) break
      }
      assert.equal(granted, fit)
    })
  }

  it('never take more than a window has at the same instant', async () => {
    const stores = [world.services.store, second.services.store]
    for (let round = 0; round < 40; round++) {
      const window = {
        organization: world.acme.id,
        subject: `subject ${round}`,
        kind: 'minute',
        startsAt: 0,
        endsAt: 60_000,
        limit: 12,
      } as const
      await takeCredits(world.services.store, [{ window, need: 1, want: () => 0 }])
      const takes = stores.map((store) => takeCredits(store, [{ window, need: 6, want: () => 0 }]))
      const taken = (await Promise.all(takes)).map((results) => results[0]?.taken)
      assert.deepEqual(taken.sort(), [0, 6])
      assert.equal(await usedOf(world.services.store.reader('system'), window), 7)
    }
  })

  it('report the same usage', async () => {
    const { secret: key } = await world.key()
    for (let i = 0; i < 6; i++) await call(i % 2 ? second.url : world.server.url, 'GET', '/v1', { key })
    const { body } = await call(second.url, 'GET', '/v1/usage', { key })
    assert.equal(body.minute.limit, 1000)
    assert.ok(body.minute.used >= 7, `${body.minute.used}`)
    assert.equal(body.minute.used + body.minute.remaining, 1000)
  })
})

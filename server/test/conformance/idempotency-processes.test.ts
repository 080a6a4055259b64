/** One idempotency key in two processes over one database has one effect (contract/03#concurrent-requests). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { RunningServer } from '../../src/main.ts'
import { call } from '../call.ts'
import { openWorld, type World } from '../world.ts'
import { assertRefused } from './answers.ts'
import { startSecond } from './second-server.ts'

describe('an idempotency key in two processes', () => {
  let world: World
  let second: RunningServer
  before(async () => {
    world = await openWorld('postgres')
    // The limits must match: with limits here, credits taken by the unlimited process would count as used.
    second = await startSecond(world, {
      ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
      ATRIUM_CREDITS_PER_DAY: 'unlimited',
      ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
    })
  })
  after(async () => {
    await second.close()
    await world.close()
  })

  it('lets one of 40 concurrent requests run', async () => {
    for (const idempotencyKey of ['one', 'two', 'three']) {
      await world.markWritten()
      const options = { key: world.acme.key, idempotencyKey, body: { title: `Twin ${idempotencyKey}` } }
      const urls = [world.server.url, second.url]
      const sends = Array.from({ length: 40 }, (_, i) => call(urls[i % 2] as string, 'POST', '/v1/workspaces', options))
      const replies = await Promise.all(sends)
      const made = replies.filter((reply) => reply.status === 200)
      assert.equal(new Set(made.map((reply) => reply.text)).size, 1)
      assert.equal(made.filter((reply) => reply.headers['idempotent-replayed'] === undefined).length, 1)
      for (const reply of replies) if (reply.status !== 200) assertRefused(reply, 'idempotency_in_progress')
      await world.assertWritten({ events: ['workflow.workspace.created'], audit: ['workspaces.create'] })
    }
  })

  it('is known to the other process', async () => {
    const options = { key: world.acme.key, idempotencyKey: 'shared', body: { title: 'Shared' } }
    const first = await call(world.server.url, 'POST', '/v1/workspaces', options)
    const again = await call(second.url, 'POST', '/v1/workspaces', options)
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    const other = await call(second.url, 'POST', '/v1/workspaces', { ...options, body: { title: 'Other' } })
    assertRefused(other, 'idempotency_key_reused')
  })
})

/** The order of deliveries, and the process that makes them: one or two processes, lost ones, clocks that jump. */

import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { startSecond } from '../../../test/conformance/second-server.ts'
import { answer, type Receiver } from '../../../test/receiver.ts'
import { openWebhooks } from '../../../test/webhooks.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { worker_limits } from '../limits.ts'
import { drainDeliveries } from './deliveries.ts'

const day = 24 * 3_600_000

onEveryWorld('webhook deliveries', (world) => {
  const webhooks = openFirst(() => openWebhooks(world))
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await webhooks.open()
  })
  afterEach(() => webhooks.clear())

  it('first attempts arrive in the order of the log, at most five at a time', async () => {
    await webhooks.endpoint()
    let underWay = 0
    let most = 0
    receiver.respond = (_received, response) => {
      most = Math.max(most, ++underWay)
      setImmediate(() => {
        underWay--
        response.writeHead(204).end()
      })
    }
    const data = Array.from({ length: 100 }, (_, i) => ({ title: `${i}` }))
    await world.make('/v1/tasks/batch', { workspace: webhooks.workspace, data })
    await webhooks.drain()
    const sequences = receiver.events.map((got) => got.event.sequence)
    assert.equal(sequences.length, 100)
    assert.deepEqual(
      sequences,
      sequences.toSorted((a, b) => a - b),
    )
    assert.ok(most <= 5, `${most} at once`)
  })

  it('endpoints that never answer delay no other', async () => {
    const stuck: (() => void)[] = []
    for (let i = 0; i < 4; i++) {
      const dead = await webhooks.open()
      await webhooks.endpoint({}, dead)
      dead.respond = (_received, response) => stuck.push(() => response.writeHead(204).end())
    }
    await webhooks.endpoint()
    for (let i = 0; i < 10; i++) await webhooks.task(`${i}`)
    const drained = webhooks.drain()
    await receiver.received(10)
    assert.ok(stuck.length <= 4 * 5)
    for (const dead of webhooks.opened.slice(1)) dead.respond = answer(204)
    for (const release of stuck) release()
    await drained
    for (const each of webhooks.opened) assert.equal(each.events.length, 10)
  })

  it('two processes share the deliveries, and each event is sent once', async () => {
    const other = await startSecond(world, { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' })
    try {
      const receivers = [receiver, await webhooks.open(), await webhooks.open()]
      for (const each of receivers) await webhooks.endpoint({}, each)
      const data = Array.from({ length: 60 }, (_, i) => ({ title: `${i}` }))
      await world.make('/v1/tasks/batch', { workspace: webhooks.workspace, data })
      await Promise.all([webhooks.drain(), drainDeliveries(other.services)])
      // One process may have skipped endpoints that the other held at that moment.
      await Promise.all([webhooks.drain(), drainDeliveries(other.services)])
      for (const each of receivers) {
        const sequences = each.events.map((got) => got.event.sequence)
        assert.deepEqual([sequences.length, new Set(sequences).size], [60, 60])
      }
    } finally {
      await other.close()
    }
  })

  it('the endpoints of a lost process are claimed by another when the lease expires, and no earlier', async () => {
    const { id } = await webhooks.endpoint()
    await webhooks.task()
    const lost = query((db, p: Placeholder<{ until: number | null; realm: number; id: string }>) =>
      db
        .updateTable('webhook_endpoints')
        .set({ lease_owner: 'a process that is gone', lease_until: p('until') })
        .where('realm', '=', p('realm'))
        .where('id', '=', p('id')),
    )
    const until = world.clock.now() + worker_limits.webhook_lease_ms
    await world.services.store.write('system', async (tx) =>
      tx.write(lost, { until, realm: world.acme.realms.live, id }),
    )
    world.clock.advance(worker_limits.webhook_lease_ms - 1)
    await webhooks.drain()
    assert.equal(receiver.events.length, 0)
    world.clock.advance(1)
    await webhooks.drain()
    assert.equal(receiver.events.length, 1)
  })

  it('a clock that was far ahead and is corrected delays nothing; one that goes back a little keeps the order', async () => {
    await webhooks.endpoint()
    const right = world.clock.now()
    world.clock.advance(day)
    await webhooks.task('A day ahead')
    await webhooks.drain()
    world.clock.set(right)
    await webhooks.task('Put right')
    await webhooks.drain()
    const titles = () => receiver.events.map(({ event }) => event.data.object.title)
    assert.deepEqual(titles(), ['A day ahead', 'Put right'])
    world.clock.advance(-limits.clocks_apart_ms)
    await webhooks.task('A little back')
    await webhooks.drain()
    assert.equal(titles().length, 2)
    world.clock.set(right)
    await webhooks.drain()
    assert.deepEqual(titles(), ['A day ahead', 'Put right', 'A little back'])
  })
})

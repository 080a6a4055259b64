import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { answer, openReceiver, type Receiver } from '../../../test/receiver.ts'
import { openWorld, type World } from '../../../test/world.ts'
import type { VersionChange } from '../../api/declare/version.ts'
import { limits } from '../../api/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { startWorkers } from '../index.ts'
import { sweeps } from '../sweeps/sweeps.ts'
import { drainDeliveries } from './deliveries.ts'

/** A version in which events have fewer fields. */
const older: VersionChange = {
  date: '2026-01-01',
  event(event) {
    const { id, type } = event as { id: string; type: string }
    return { id, type, api_version: '2026-01-01' }
  },
}

onEveryEngine('webhook deliveries', (engine) => {
  let world: World
  let receiver: Receiver
  before(async () => {
    const environment = { ATRIUM_WEBHOOK_SCHEDULE_SECONDS: '10, 20' }
    world = await openWorld(engine, { environment, versions: [older] })
    receiver = await openReceiver()
  })
  after(async () => {
    await world.close()
    await receiver.close()
  })

  const endpoint = (headers: Record<string, string> = {}) =>
    world.make('/v1/webhook_endpoints', { url: receiver.url, event_types: ['workflow.workspace.created'] }, { headers })

  it('follow the operator’s schedule', async () => {
    const { id } = await endpoint()
    receiver.respond = answer(500)
    await world.make('/v1/workspaces', { title: 'Schedule' })
    for (let seconds = 0; seconds < 60; seconds++) {
      await drainDeliveries(world.services)
      world.clock.advance(1000)
    }
    assert.equal(receiver.events.length, 3)
    const event = receiver.events[0]?.event.id
    const [delivery] = (await world.get(`/v1/events/${event}`)).body.deliveries
    assert.deepEqual([delivery.status, delivery.attempts.length], ['failed', 3])
    receiver.respond = answer(204)
    await world.delete(`/v1/webhook_endpoints/${id}`)
  })

  it('have the version that the endpoint was created with', async () => {
    const { id, api_version } = await endpoint({ 'service-version': '2026-01-01' })
    assert.equal(api_version, '2026-01-01')
    assert.deepEqual(Object.keys(receiver.verifications.at(-1)?.event), ['id', 'type', 'api_version'])
    receiver.events.length = 0
    await world.make('/v1/workspaces', { title: 'Older' })
    await drainDeliveries(world.services)
    const [got] = receiver.events
    assert.deepEqual(got?.event, {
      id: got?.headers['webhook-id'],
      type: 'workflow.workspace.created',
      api_version: '2026-01-01',
    })
    assert.equal(got?.headers['service-version'], '2026-01-01')
    await world.delete(`/v1/webhook_endpoints/${id}`)
  })

  it('are sent by the running workers as soon as the event is committed, and are recorded before the workers end', async () => {
    const { id } = await endpoint()
    receiver.events.length = 0
    const workers = startWorkers(world.services)
    await world.make('/v1/workspaces', { title: 'At once' })
    await receiver.received(1)
    await workers.close()
    const event = receiver.events[0]?.event.id
    const [delivery] = (await world.get(`/v1/events/${event}`)).body.deliveries
    assert.deepEqual([delivery.webhook_endpoint, delivery.status], [id, 'succeeded'])
    await world.delete(`/v1/webhook_endpoints/${id}`)
  })

  it('keep no secret that no longer signs', async () => {
    const { id } = await endpoint()
    await world.make(`/v1/webhook_endpoints/${id}/rotate_secret`)
    const sweep = sweeps.find(({ name }) => name === 'webhook_sweep')
    const previous = query((db, p: Placeholder<{ realm: number; id: string }>) =>
      db
        .selectFrom('webhook_endpoints')
        .select('previous_secret')
        .where('realm', '=', p('realm'))
        .where('id', '=', p('id')),
    )
    const after_ = async () => {
      await sweep?.run(world.services, 1000, new AbortController().signal)
      const reader = world.services.store.reader('system')
      return (await reader.first(previous, { realm: world.acme.realms.live, id }))?.previous_secret
    }
    world.clock.advance(limits.secret_overlap_ms - 1)
    assert.ok(await after_())
    // A process whose clock is slow still signs with it.
    world.clock.advance(limits.clocks_apart_ms)
    assert.ok(await after_())
    world.clock.advance(1)
    assert.equal(await after_(), null)
  })
})

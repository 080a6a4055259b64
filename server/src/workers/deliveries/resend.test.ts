/** Events that are sent again: to their original endpoints (resend), or to the present ones (replay). */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { answer, type Receiver } from '../../../test/receiver.ts'
import { endpointPath, openWebhooks } from '../../../test/webhooks.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'

const second = 1000

onEveryWorld('webhook deliveries', (world) => {
  const webhooks = openFirst(() => openWebhooks(world))
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await webhooks.open()
  })
  afterEach(() => webhooks.clear())

  it('resend restarts the unsuccessful deliveries, or all if all have succeeded', async () => {
    const good = await webhooks.open()
    const { id: failing } = await webhooks.endpoint()
    const { id: fine } = await webhooks.endpoint({}, good)
    receiver.respond = answer(500)
    await webhooks.task()
    await webhooks.drain()
    const event = (await webhooks.lastEvent()).id
    await world.markWritten()
    const reply = await world.post(`/v1/events/${event}/resend`)
    assert.equal(reply.status, 200)
    const pending = reply.body.deliveries.find((row: { webhook_endpoint: string }) => row.webhook_endpoint === failing)
    assert.deepEqual([pending.status, pending.next_attempt_at], ['pending', Math.floor(world.clock.now() / 1000)])
    await world.assertWritten({ events: [], audit: ['events.resend'] })
    receiver.respond = answer(204)
    await webhooks.drain()
    assert.deepEqual([receiver.events.length, good.events.length], [2, 1])
    assert.equal(receiver.events[1]?.body, receiver.events[0]?.body)
    assert.deepEqual(
      (await webhooks.deliveryOf(event, failing)).attempts.map((a: { number: number; trigger: string }) => [
        a.number,
        a.trigger,
      ]),
      [
        [1, 'automatic'],
        [2, 'resend'],
      ],
    )
    await world.post(`/v1/events/${event}/resend`)
    await webhooks.drain()
    assert.deepEqual([receiver.events.length, good.events.length], [3, 2])
    assert.equal((await webhooks.deliveryOf(event, fine)).status, 'succeeded')
  })

  it('a resent delivery that fails is retried on its whole schedule again', async () => {
    const { id } = await webhooks.endpoint()
    receiver.respond = answer(500)
    await webhooks.task()
    await webhooks.drain()
    world.clock.advance(10 * second)
    await webhooks.drain()
    const event = (await webhooks.lastEvent()).id
    await world.post(`/v1/events/${event}/resend`)
    await webhooks.drain()
    const delivery = await webhooks.deliveryOf(event, id)
    const wait = delivery.next_attempt_at - Math.floor(world.clock.now() / 1000)
    assert.deepEqual([delivery.attempts.length, wait >= 3 && wait <= 6], [3, true])
  })

  it('replay matches the present endpoints, also those created after the event', async () => {
    const { id: first } = await webhooks.endpoint()
    await webhooks.task()
    await webhooks.drain()
    const event = (await webhooks.lastEvent()).id
    const later = await webhooks.open()
    const { id: second_ } = await webhooks.endpoint({}, later)
    const uninterested = await webhooks.open()
    await webhooks.endpoint({ event_types: ['workflow.comment.*'] }, uninterested)
    await world.markWritten()
    assert.equal((await world.post(`/v1/events/${event}/replay`)).status, 200)
    await world.assertWritten({ events: [], audit: ['events.replay'] })
    await webhooks.drain()
    assert.deepEqual([receiver.events.length, later.events.length, uninterested.events.length], [2, 1, 0])
    assert.equal((await webhooks.deliveryOf(event, first)).attempts[1].trigger, 'replay')
    assert.deepEqual(
      (await webhooks.deliveryOf(event, second_)).attempts.map((a: { trigger: string }) => a.trigger),
      ['replay'],
    )
  })

  it('a replay before the fan-out reaches the event sends it once', async () => {
    await webhooks.endpoint()
    await webhooks.task()
    await world.post(`/v1/events/${(await webhooks.lastEvent()).id}/replay`)
    await webhooks.drain()
    assert.equal(receiver.events.length, 1)
  })

  it('a resend during an attempt is not lost, and both are recorded', async () => {
    const { id } = await webhooks.endpoint()
    await webhooks.task()
    const event = (await webhooks.lastEvent()).id
    receiver.respond = (_received, response) => {
      receiver.respond = answer(204)
      void world.post(`/v1/events/${event}/resend`).then(() => response.writeHead(204).end())
    }
    await webhooks.drain()
    const delivery = await webhooks.deliveryOf(event, id)
    assert.deepEqual([delivery.status, delivery.attempts.length, receiver.events.length], ['succeeded', 2, 2])
  })

  it('resend and replay without a matching endpoint are refused', async () => {
    const { id } = await webhooks.endpoint()
    await webhooks.task()
    await webhooks.drain()
    const event = (await webhooks.lastEvent()).id
    await world.patch(`${endpointPath}/${id}`, { status: 'paused' })
    for (const verb of ['resend', 'replay']) {
      const reply = await world.post(`/v1/events/${event}/${verb}`)
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    await world.delete(`${endpointPath}/${id}`)
    assert.equal((await world.post(`/v1/events/${event}/resend`)).status, 409)
    assert.deepEqual((await world.get(`/v1/events/${event}`)).body.deliveries, [])
  })
})

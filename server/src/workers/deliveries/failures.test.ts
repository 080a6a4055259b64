/** Failed deliveries: when they are retried, how much of an answer is kept, and what disables an endpoint. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { answer, type Received, type Receiver } from '../../../test/receiver.ts'
import { endpointPath, openWebhooks } from '../../../test/webhooks.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'

const second = 1000
const hour = 3_600_000
const day = 24 * hour

onEveryWorld('webhook deliveries', (world) => {
  const webhooks = openFirst(() => openWebhooks(world))
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await webhooks.open()
  })
  afterEach(() => webhooks.clear())

  it('a failure that ends after the success of a later event counts, although its delivery is older', async () => {
    const { id } = await webhooks.endpoint()
    const came: { writeHead(status: number): { end(): void } }[] = []
    receiver.respond = (_received, response) => {
      came.push(response)
      if (came.length < 2) return
      came[1]?.writeHead(204).end()
      came[0]?.writeHead(500).end()
    }
    await webhooks.task('First')
    await webhooks.task('Second')
    await webhooks.drain()
    assert.equal((await webhooks.shown(id)).consecutive_failures, 1)
  })

  it('a failure is retried on schedule with the same event and bytes, counted attempts and fresh signatures', async () => {
    const { id } = await webhooks.endpoint()
    receiver.respond = answer(500, {}, 'not now')
    await webhooks.task()
    await webhooks.drain()
    const event = await webhooks.lastEvent()
    const steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [i, step] of steps.entries()) {
      const delivery = await webhooks.deliveryOf(event.id, id)
      assert.equal(delivery.status, 'pending')
      const wait = delivery.next_attempt_at * 1000 - world.clock.now()
      assert.ok(wait >= step * 800 - second && wait <= step * 1200, `wait ${i + 1}: ${wait} for ${step} s`)
      world.clock.set(delivery.next_attempt_at * 1000 - 1)
      await webhooks.drain()
      assert.equal(receiver.events.length, i + 1)
      world.clock.advance(second)
      await webhooks.drain()
      assert.equal(receiver.events.length, i + 2)
    }
    const delivery = await webhooks.deliveryOf(event.id, id)
    assert.deepEqual([delivery.status, delivery.next_attempt_at, delivery.attempts.length], ['failed', null, 10])
    assert.deepEqual(
      delivery.attempts.map((a: { number: number; http_status: number; error_category: string }) => [
        a.number,
        a.http_status,
        a.error_category,
      ]),
      Array.from({ length: 10 }, (_, i) => [i + 1, 500, 'http_status']),
    )
    assert.equal(delivery.attempts[0].response_excerpt, 'not now')
    assert.equal(new Set(receiver.events.map((got) => got.body)).size, 1)
    assert.equal(new Set(receiver.events.map((got) => got.headers['webhook-id'])).size, 1)
    assert.equal(new Set(receiver.events.map((got) => got.headers['service-delivery'])).size, 1)
    assert.deepEqual(
      receiver.events.map((got) => got.headers['service-attempt']),
      Array.from({ length: 10 }, (_, i) => String(i + 1)),
    )
    assert.equal(new Set(receiver.events.map((got) => got.headers['service-signature'])).size, 10)
    world.clock.advance(10 * day)
    await webhooks.drain()
    assert.equal(receiver.events.length, 10)
  })

  it('Retry-After lengthens a wait to at most twice the step, and never shortens it', async () => {
    const { id } = await webhooks.endpoint()
    const date = () => new Date(world.clock.now() + 8 * second).toUTCString()
    for (const [header, from, to] of [
      ['7', 7, 7],
      ['3600', 10, 10],
      [date(), 7, 8],
      ['1', 4, 6],
      ['soon', 4, 6],
    ] as const) {
      receiver.respond = answer(503, { 'retry-after': header })
      await webhooks.task()
      await webhooks.drain()
      const delivery = await webhooks.deliveryOf((await webhooks.lastEvent()).id, id)
      const wait = delivery.next_attempt_at - Math.floor(world.clock.now() / 1000)
      assert.ok(wait >= from - 1 && wait <= to, `${header}: ${wait}`)
    }
  })

  it('redirects, other statuses than 2xx, broken and refused connections are failures with a category', async () => {
    const { id } = await webhooks.endpoint()
    const elsewhere = await webhooks.open()
    for (const [respond, http_status, error_category] of [
      [answer(302, { location: elsewhere.url }), 302, 'http_status'],
      [answer(404), 404, 'http_status'],
      [(_: Received, response: { destroy(): void }) => response.destroy(), null, 'protocol'],
    ] as const) {
      receiver.respond = respond
      await webhooks.task()
      await webhooks.drain()
      const delivery = await webhooks.deliveryOf((await webhooks.lastEvent()).id, id)
      const [attempt] = delivery.attempts
      assert.deepEqual(
        [delivery.status, attempt.http_status, attempt.error_category],
        ['pending', http_status, error_category],
      )
    }
    await receiver.close()
    webhooks.opened.splice(webhooks.opened.indexOf(receiver), 1)
    await webhooks.task()
    await webhooks.drain()
    const [attempt] = (await webhooks.deliveryOf((await webhooks.lastEvent()).id, id)).attempts
    assert.deepEqual([attempt.http_status, attempt.error_category], [null, 'unreachable'])
    assert.equal(elsewhere.events.length, 0)
  })

  it('the first KiB of an answer is kept as text, whatever its bytes', async () => {
    const { id } = await webhooks.endpoint()
    receiver.respond = (_received, response) =>
      response.writeHead(200).end(Buffer.concat([Buffer.from('a\0b'), Buffer.alloc(100_000, 0xff)]))
    await webhooks.task()
    await webhooks.drain()
    const delivery = await webhooks.deliveryOf((await webhooks.lastEvent()).id, id)
    assert.equal(delivery.status, 'succeeded')
    assert.equal(delivery.attempts[0].response_excerpt, `a\ufffdb${'\ufffd'.repeat(1021)}`)
  })

  it('410 disables the endpoint at once with the reason, and missed events are shown as such', async () => {
    const { id } = await webhooks.endpoint()
    const { id: watcher } = await webhooks.endpoint(
      { event_types: ['platform.webhook_endpoint.disabled'] },
      await webhooks.open(),
    )
    receiver.respond = answer(410)
    await webhooks.task()
    await world.markWritten()
    await webhooks.drain()
    await world.assertWritten({ events: ['platform.webhook_endpoint.disabled'], audit: ['webhook_endpoints.disable'] })
    const gone = await webhooks.shown(id)
    assert.deepEqual(
      [gone.status, gone.status_reason, gone.revision],
      ['disabled', 'The endpoint answered 410 Gone.', 2],
    )
    assert.equal(webhooks.opened[1]?.events[0]?.event.data.object.id, id)
    assert.ok(watcher)
    await webhooks.task()
    await webhooks.drain()
    assert.equal(receiver.events.length, 1)
    const missed = await webhooks.deliveryOf((await webhooks.lastEvent()).id, id)
    assert.deepEqual([missed.status, missed.skip_reason, missed.attempts], ['skipped', 'endpoint_disabled', []])
  })

  it('five days of failures only, with events twelve hours apart, disable an endpoint; one success resets them', async () => {
    const { id } = await webhooks.endpoint()
    const failFor = async (days: number) => {
      receiver.respond = answer(500)
      for (let hours = 0; hours < days * 24; hours += 6) {
        await webhooks.task()
        await webhooks.drain()
        world.clock.advance(6 * hour)
      }
    }
    await failFor(4)
    assert.equal((await webhooks.shown(id)).status, 'enabled')
    receiver.respond = answer(200)
    await webhooks.task()
    await webhooks.drain()
    assert.equal((await webhooks.shown(id)).consecutive_failures, 0)
    await failFor(5)
    assert.equal((await webhooks.shown(id)).status, 'enabled')
    await webhooks.task()
    await webhooks.drain()
    const disabled = await webhooks.shown(id)
    assert.deepEqual([disabled.status, disabled.status_reason], ['disabled', 'Every attempt has failed for 5 days.'])
    receiver.respond = answer(200)
    assert.equal((await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })).body.status, 'enabled')
  })

  it('one event that fails for days disables nothing', async () => {
    const { id } = await webhooks.endpoint()
    receiver.respond = answer(500)
    await webhooks.task()
    for (let days = 0; days < 8; days++) {
      await webhooks.drain()
      world.clock.advance(day)
    }
    const after_ = await webhooks.shown(id)
    assert.equal(after_.status, 'enabled')
    assert.ok(after_.consecutive_failures >= 8)
  })
})

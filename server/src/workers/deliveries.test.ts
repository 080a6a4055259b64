import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, it } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { startSecond } from '../../test/conformance/second-server.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { answer, openReceiver, type Received, type Receiver } from '../../test/receiver.ts'
import { openWorld, type World } from '../../test/world.ts'
import { query } from '../db/query.ts'
import { limits } from '../lib/limits.ts'
import { drainDeliveries } from './deliveries.ts'

const second = 1000
const hour = 3_600_000
const day = 24 * hour

/** How receivers verify, each package in its own way, over the bytes as they came. */
const verifiers: readonly ((secret: string, got: Received) => void)[] = [
  (secret, { body, headers }) => Stripe.webhooks.constructEvent(body, headers['service-signature'] as string, secret),
  (secret, { body, headers }) => new StandardWebhook(secret).verify(body, headers as Record<string, string>),
  (secret, { body, headers }) => new SvixWebhook(secret).verify(body, headers as Record<string, string>),
]

const endpointPath = '/v1/webhook_endpoints'

onEveryEngine('webhook deliveries', (engine) => {
  let world: World
  let receiver: Receiver
  let workspace: string
  const opened: Receiver[] = []
  before(async () => {
    world = await openWorld(engine)
    workspace = (await world.make('/v1/workspaces', { title: 'Deliveries' })).id
  })
  beforeEach(async () => {
    receiver = await open()
  })
  afterEach(async () => {
    for (const { id } of (await world.get(`${endpointPath}?limit=100`)).body.data)
      await world.delete(`${endpointPath}/${id}`)
    for (const each of opened.splice(0)) await each.close()
  })
  after(() => world.close())

  async function open(): Promise<Receiver> {
    const made = await openReceiver()
    opened.push(made)
    return made
  }

  const endpoint = (body: object = {}, to: Receiver = receiver) =>
    world.make(endpointPath, { url: to.url, event_types: ['workflow.task.*'], ...body })
  const task = (title = 'Ship it') => world.make('/v1/tasks', { workspace, title })
  const drain = () => drainDeliveries(world.services)
  const lastEvent = async () => (await world.get('/v1/events?limit=1')).body.data[0]
  const deliveryOf = async (event: string, of: string) =>
    (await world.get(`/v1/events/${event}`)).body.deliveries.find(
      (row: { webhook_endpoint: string }) => row.webhook_endpoint === of,
    )
  const shown = async (id: string) => (await world.get(`${endpointPath}/${id}`)).body

  it('an event reaches those who subscribed, exactly as the API shows it, and is told as succeeded', async () => {
    const { id } = await endpoint()
    await endpoint({ event_types: ['workflow.comment.*'] })
    const { id: taskId } = await task()
    await drain()
    const event = await lastEvent()
    assert.equal(receiver.events.length, 1)
    const [got] = receiver.events as [Received]
    assert.deepEqual(got.event, event)
    assert.equal(got.event.data.object.id, taskId)
    const delivery = await deliveryOf(event.id, id)
    assert.equal(got.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(got.headers['user-agent'], 'Atrium-Webhooks/1')
    assert.equal(got.headers['service-version'], '2026-08-03')
    assert.equal(got.headers['service-event-type'], 'workflow.task.created')
    assert.equal(got.headers['service-delivery'], delivery.id)
    assert.equal(got.headers['service-attempt'], '1')
    assert.equal(got.headers['webhook-id'], event.id)
    assert.match(delivery.id, /^dlv_/)
    assert.deepEqual(
      { ...delivery, attempts: delivery.attempts.map((a: object) => ({ ...a, duration_ms: 0 })) },
      {
        id: delivery.id,
        object: 'delivery',
        webhook_endpoint: id,
        status: 'succeeded',
        skip_reason: null,
        next_attempt_at: null,
        attempts: [
          {
            number: 1,
            created: Math.floor(world.clock.now() / 1000),
            duration_ms: 0,
            http_status: 204,
            error_category: null,
            response_excerpt: null,
            trigger: 'automatic',
          },
        ],
      },
    )
    assert.equal((await shown(id)).last_success_at, Math.floor(world.clock.now() / 1000))
    await drain()
    assert.equal(receiver.events.length, 1)
  })

  it('deliveries change no revision, emit nothing and are no audit entries', async () => {
    const { id } = await endpoint({ event_types: ['*'] })
    await task()
    await world.markWritten()
    await drain()
    assert.equal((await shown(id)).revision, 1)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('stripe, standardwebhooks and svix verify the very bytes, with the old and the new secret, and refuse a changed byte', async () => {
    // The packages compare with the machine's time, and allow five minutes.
    world.clock.set(Date.now() - limits.secret_overlap_ms)
    const first = await endpoint()
    const rotatedAt = world.clock.now() + 60 * second
    world.clock.set(Date.now())
    await task('Ünïcödé ☃ "quoted"')
    await drain()
    world.clock.set(rotatedAt)
    const rotated = (await world.post(`${endpointPath}/${first.id}/rotate_secret`)).body
    world.clock.set(Date.now())
    await task('Again')
    await drain()
    world.clock.advance(120 * second)
    await task('After the overlap')
    await drain()
    const [old, fresh] = [first.signing_secret, rotated.signing_secret]
    const [before_, during, afterwards] = receiver.events as [Received, Received, Received]
    for (const [got, accepted, refused] of [
      [before_, [old], [fresh]],
      [during, [old, fresh], []],
      [afterwards, [fresh], [old]],
    ] as const) {
      const changed = { ...got, body: got.body.replace('"livemode":true', '"livemode":truE') }
      assert.notEqual(changed.body, got.body)
      for (const verify of verifiers) {
        for (const secret of accepted) assert.doesNotThrow(() => verify(secret, got))
        for (const secret of accepted) assert.throws(() => verify(secret, changed))
        for (const secret of refused) assert.throws(() => verify(secret, got))
      }
    }
  })

  it('a failure is repeated on the schedule with the same event, the same bytes, counted attempts and fresh signatures', async () => {
    const { id } = await endpoint()
    receiver.respond = answer(500, {}, 'not now')
    await task()
    await drain()
    const event = await lastEvent()
    const steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [i, step] of steps.entries()) {
      const delivery = await deliveryOf(event.id, id)
      assert.equal(delivery.status, 'pending')
      const wait = delivery.next_attempt_at * 1000 - world.clock.now()
      assert.ok(wait >= step * 800 - second && wait <= step * 1200, `wait ${i + 1}: ${wait} for ${step} s`)
      world.clock.set(delivery.next_attempt_at * 1000 - 1)
      await drain()
      assert.equal(receiver.events.length, i + 1)
      world.clock.advance(second)
      await drain()
      assert.equal(receiver.events.length, i + 2)
    }
    const delivery = await deliveryOf(event.id, id)
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
    await drain()
    assert.equal(receiver.events.length, 10)
  })

  it('Retry-After lengthens a wait to at most twice the step, and never shortens it', async () => {
    const { id } = await endpoint()
    const date = () => new Date(world.clock.now() + 8 * second).toUTCString()
    for (const [header, from, to] of [
      ['7', 7, 7],
      ['3600', 10, 10],
      [date(), 7, 8],
      ['1', 4, 6],
      ['soon', 4, 6],
    ] as const) {
      receiver.respond = answer(503, { 'retry-after': header })
      await task()
      await drain()
      const delivery = await deliveryOf((await lastEvent()).id, id)
      const wait = delivery.next_attempt_at - Math.floor(world.clock.now() / 1000)
      assert.ok(wait >= from - 1 && wait <= to, `${header}: ${wait}`)
    }
  })

  it('redirects, non-2xx answers, hang-ups and closed doors are failures with a category', async () => {
    const { id } = await endpoint()
    const elsewhere = await open()
    for (const [respond, http_status, error_category] of [
      [answer(302, { location: elsewhere.url }), 302, 'http_status'],
      [answer(404), 404, 'http_status'],
      [(_: Received, response: { destroy(): void }) => response.destroy(), null, 'protocol'],
    ] as const) {
      receiver.respond = respond
      await task()
      await drain()
      const delivery = await deliveryOf((await lastEvent()).id, id)
      const [attempt] = delivery.attempts
      assert.deepEqual(
        [delivery.status, attempt.http_status, attempt.error_category],
        ['pending', http_status, error_category],
      )
    }
    await receiver.close()
    opened.splice(opened.indexOf(receiver), 1)
    await task()
    await drain()
    const [attempt] = (await deliveryOf((await lastEvent()).id, id)).attempts
    assert.deepEqual([attempt.http_status, attempt.error_category], [null, 'unreachable'])
    assert.equal(elsewhere.events.length, 0)
  })

  it('of an answer the first KiB of text is kept, whatever its bytes', async () => {
    const { id } = await endpoint()
    receiver.respond = (_received, response) =>
      response.writeHead(200).end(Buffer.concat([Buffer.from('a\0b'), Buffer.alloc(100_000, 0xff)]))
    await task()
    await drain()
    const delivery = await deliveryOf((await lastEvent()).id, id)
    assert.equal(delivery.status, 'succeeded')
    assert.equal(delivery.attempts[0].response_excerpt, `a\ufffdb${'\ufffd'.repeat(1021)}`)
  })

  it('410 disables the endpoint at once, and says why; what it missed is told as such', async () => {
    const { id } = await endpoint()
    const { id: watcher } = await endpoint({ event_types: ['platform.webhook_endpoint.disabled'] }, await open())
    receiver.respond = answer(410)
    await task()
    await world.markWritten()
    await drain()
    await world.assertWritten({ events: ['platform.webhook_endpoint.disabled'], audit: ['webhook_endpoints.disable'] })
    const gone = await shown(id)
    assert.deepEqual(
      [gone.status, gone.status_reason, gone.revision],
      ['disabled', 'The endpoint answered 410 Gone.', 2],
    )
    assert.equal(opened[1]?.events[0]?.event.data.object.id, id)
    assert.ok(watcher)
    await task()
    await drain()
    assert.equal(receiver.events.length, 1)
    const missed = await deliveryOf((await lastEvent()).id, id)
    assert.deepEqual([missed.status, missed.skip_reason, missed.attempts], ['skipped', 'endpoint_disabled', []])
  })

  it('five days of nothing but failures with events twelve hours apart disable it; one success forgets them', async () => {
    const { id } = await endpoint()
    const failFor = async (days: number) => {
      receiver.respond = answer(500)
      for (let hours = 0; hours < days * 24; hours += 6) {
        await task()
        await drain()
        world.clock.advance(6 * hour)
      }
    }
    await failFor(4)
    assert.equal((await shown(id)).status, 'enabled')
    receiver.respond = answer(200)
    await task()
    await drain()
    assert.equal((await shown(id)).consecutive_failures, 0)
    await failFor(5)
    assert.equal((await shown(id)).status, 'enabled')
    await task()
    await drain()
    const disabled = await shown(id)
    assert.deepEqual([disabled.status, disabled.status_reason], ['disabled', 'Every attempt has failed for 5 days.'])
    receiver.respond = answer(200)
    assert.equal((await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })).body.status, 'enabled')
  })

  it('one event that fails for days disables nothing', async () => {
    const { id } = await endpoint()
    receiver.respond = answer(500)
    await task()
    for (let days = 0; days < 8; days++) {
      await drain()
      world.clock.advance(day)
    }
    const after_ = await shown(id)
    assert.equal(after_.status, 'enabled')
    assert.ok(after_.consecutive_failures >= 8)
  })

  it('while paused nothing is queued; what was due before goes on when it is enabled again', async () => {
    const { id } = await endpoint()
    receiver.respond = answer(500)
    await task('before')
    await drain()
    const before_ = (await lastEvent()).id
    await world.patch(`${endpointPath}/${id}`, { status: 'paused' })
    await task('meanwhile')
    const meanwhile = (await lastEvent()).id
    world.clock.advance(hour)
    await drain()
    assert.equal(receiver.events.length, 1)
    const [waiting, skipped] = [await deliveryOf(before_, id), await deliveryOf(meanwhile, id)]
    assert.deepEqual([waiting.status, waiting.next_attempt_at], ['pending', null])
    assert.deepEqual([skipped.status, skipped.skip_reason], ['skipped', 'endpoint_paused'])
    receiver.respond = answer(204)
    await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })
    await task('after')
    await drain()
    assert.deepEqual(
      receiver.events.map((got) => got.event.data.object.title),
      ['before', 'before', 'after'],
    )
    assert.equal((await deliveryOf(meanwhile, id)).skip_reason, 'endpoint_paused')
  })

  it('own events are left out where the endpoint says so, others are not', async () => {
    const { id } = await endpoint({ exclude_own_events: true })
    await task('own')
    const own = (await lastEvent()).id
    const { secret } = await world.key()
    await world.make('/v1/tasks', { workspace, title: 'foreign' }, { key: secret })
    await drain()
    assert.deepEqual(
      receiver.events.map((got) => got.event.data.object.title),
      ['foreign'],
    )
    const skipped = await deliveryOf(own, id)
    assert.deepEqual([skipped.id, skipped.status, skipped.skip_reason], [null, 'skipped', 'own_event'])
  })

  it('test events reach test endpoints only', async () => {
    await endpoint({ event_types: ['*'] })
    await world.make('/v1/workspaces', { title: 'Test' }, { key: world.acme.testKey })
    await world.make('/v1/workspaces', { title: 'Elsewhere' }, { key: world.globex.key })
    await drain()
    assert.deepEqual(receiver.events, [])
  })

  it('an endpoint gets nothing from before it was there, its own creation included', async () => {
    await endpoint({ event_types: ['*'] }, await open())
    await task('earlier')
    const earlier = (await lastEvent()).id
    const { id } = await endpoint({ event_types: ['*'] })
    await task('later')
    await drain()
    assert.deepEqual(
      receiver.events.map((got) => got.event.data.object.title),
      ['later'],
    )
    assert.equal((await deliveryOf(earlier, id)).skip_reason, 'not_subscribed')
  })

  it('first attempts come in the order of the log, at most five at a time', async () => {
    await endpoint()
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
    await world.make('/v1/tasks/batch', { workspace, data })
    await drain()
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
      const dead = await open()
      await endpoint({}, dead)
      dead.respond = (_received, response) => stuck.push(() => response.writeHead(204).end())
    }
    await endpoint()
    for (let i = 0; i < 10; i++) await task(`${i}`)
    const drained = drain()
    await receiver.received(10)
    assert.ok(stuck.length <= 4 * 5)
    for (const dead of opened.slice(1)) dead.respond = answer(204)
    for (const release of stuck) release()
    await drained
    for (const each of opened) assert.equal(each.events.length, 10)
  })

  it('resend starts the unsuccessful deliveries anew, and all of them when all have succeeded', async () => {
    const good = await open()
    const { id: failing } = await endpoint()
    const { id: fine } = await endpoint({}, good)
    receiver.respond = answer(500)
    await task()
    await drain()
    const event = (await lastEvent()).id
    await world.markWritten()
    const reply = await world.post(`/v1/events/${event}/resend`)
    assert.equal(reply.status, 200)
    const pending = reply.body.deliveries.find((row: { webhook_endpoint: string }) => row.webhook_endpoint === failing)
    assert.deepEqual([pending.status, pending.next_attempt_at], ['pending', Math.floor(world.clock.now() / 1000)])
    await world.assertWritten({ events: [], audit: ['events.resend'] })
    receiver.respond = answer(204)
    await drain()
    assert.deepEqual([receiver.events.length, good.events.length], [2, 1])
    assert.equal(receiver.events[1]?.body, receiver.events[0]?.body)
    assert.deepEqual(
      (await deliveryOf(event, failing)).attempts.map((a: { number: number; trigger: string }) => [
        a.number,
        a.trigger,
      ]),
      [
        [1, 'automatic'],
        [2, 'resend'],
      ],
    )
    await world.post(`/v1/events/${event}/resend`)
    await drain()
    assert.deepEqual([receiver.events.length, good.events.length], [3, 2])
    assert.equal((await deliveryOf(event, fine)).status, 'succeeded')
  })

  it('a resent delivery that fails has its whole schedule again', async () => {
    const { id } = await endpoint()
    receiver.respond = answer(500)
    await task()
    await drain()
    world.clock.advance(10 * second)
    await drain()
    const event = (await lastEvent()).id
    await world.post(`/v1/events/${event}/resend`)
    await drain()
    const delivery = await deliveryOf(event, id)
    const wait = delivery.next_attempt_at - Math.floor(world.clock.now() / 1000)
    assert.deepEqual([delivery.attempts.length, wait >= 3 && wait <= 6], [3, true])
  })

  it('replay matches the endpoints of today, also those that were not there', async () => {
    const { id: first } = await endpoint()
    await task()
    await drain()
    const event = (await lastEvent()).id
    const later = await open()
    const { id: second_ } = await endpoint({}, later)
    const uninterested = await open()
    await endpoint({ event_types: ['workflow.comment.*'] }, uninterested)
    await world.markWritten()
    assert.equal((await world.post(`/v1/events/${event}/replay`)).status, 200)
    await world.assertWritten({ events: [], audit: ['events.replay'] })
    await drain()
    assert.deepEqual([receiver.events.length, later.events.length, uninterested.events.length], [2, 1, 0])
    assert.equal((await deliveryOf(event, first)).attempts[1].trigger, 'replay')
    assert.deepEqual(
      (await deliveryOf(event, second_)).attempts.map((a: { trigger: string }) => a.trigger),
      ['replay'],
    )
  })

  it('a replay before the fan-out reaches the event sends it once', async () => {
    await endpoint()
    await task()
    await world.post(`/v1/events/${(await lastEvent()).id}/replay`)
    await drain()
    assert.equal(receiver.events.length, 1)
  })

  it('a resend while an attempt is under way is not lost, and both are told', async () => {
    const { id } = await endpoint()
    await task()
    const event = (await lastEvent()).id
    receiver.respond = (_received, response) => {
      receiver.respond = answer(204)
      void world.post(`/v1/events/${event}/resend`).then(() => response.writeHead(204).end())
    }
    await drain()
    const delivery = await deliveryOf(event, id)
    assert.deepEqual([delivery.status, delivery.attempts.length, receiver.events.length], ['succeeded', 2, 2])
  })

  it('resend and replay without anyone to send to are refused', async () => {
    const { id } = await endpoint()
    await task()
    await drain()
    const event = (await lastEvent()).id
    await world.patch(`${endpointPath}/${id}`, { status: 'paused' })
    for (const verb of ['resend', 'replay']) {
      const reply = await world.post(`/v1/events/${event}/${verb}`)
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    await world.delete(`${endpointPath}/${id}`)
    assert.equal((await world.post(`/v1/events/${event}/resend`)).status, 409)
    assert.deepEqual((await world.get(`/v1/events/${event}`)).body.deliveries, [])
  })

  it('two processes share the work: each event once, whatever they do at the same time', async () => {
    const other = await startSecond(world, { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' })
    try {
      const receivers = [receiver, await open(), await open()]
      for (const each of receivers) await endpoint({}, each)
      const data = Array.from({ length: 60 }, (_, i) => ({ title: `${i}` }))
      await world.make('/v1/tasks/batch', { workspace, data })
      await Promise.all([drain(), drainDeliveries(other.services)])
      // One may have left what the other held at its last look.
      await Promise.all([drain(), drainDeliveries(other.services)])
      for (const each of receivers) {
        const sequences = each.events.map((got) => got.event.sequence)
        assert.deepEqual([sequences.length, new Set(sequences).size], [60, 60])
      }
    } finally {
      await other.close()
    }
  })

  it('what a lost process held is taken over when its lease is over, and only then', async () => {
    const { id } = await endpoint()
    await task()
    const lost = query((db, p) =>
      db
        .updateTable('webhook_endpoints')
        .set({ lease_owner: 'a process that is gone', lease_until: p('until') })
        .where('realm', '=', p('realm'))
        .where('id', '=', p('id')),
    )
    const until = world.clock.now() + limits.webhook_lease_ms
    await world.services.store.write('system', async (tx) =>
      tx.write(lost, { until, realm: world.acme.realms.live, id }),
    )
    world.clock.advance(limits.webhook_lease_ms - 1)
    await drain()
    assert.equal(receiver.events.length, 0)
    world.clock.advance(1)
    await drain()
    assert.equal(receiver.events.length, 1)
  })

  it('a clock that was far ahead and is put right holds nothing up; one that goes back a little keeps the order', async () => {
    await endpoint()
    const right = world.clock.now()
    world.clock.advance(day)
    await task('A day ahead')
    await drain()
    world.clock.set(right)
    await task('Put right')
    await drain()
    const titles = () => receiver.events.map(({ event }) => event.data.object.title)
    assert.deepEqual(titles(), ['A day ahead', 'Put right'])
    world.clock.advance(-limits.clocks_apart_ms)
    await task('A little back')
    await drain()
    assert.equal(titles().length, 2)
    world.clock.set(right)
    await drain()
    assert.deepEqual(titles(), ['A day ahead', 'Put right', 'A little back'])
  })

  it('a deleted endpoint gets nothing any more, and a sweep removes what is left of it', async () => {
    const { id } = await endpoint()
    receiver.respond = answer(500)
    await task()
    await drain()
    await world.delete(`${endpointPath}/${id}`)
    world.clock.advance(hour)
    await task()
    await drain()
    assert.equal(receiver.events.length, 1)
    const { sweeps } = await import('./sweeps.ts')
    const sweep = sweeps.find(({ name }) => name === 'webhook_sweep')
    while ((await sweep?.run(world.services, 10, new AbortController().signal)) !== 0);
    const left = async (table: 'webhook_deliveries' | 'webhook_endpoints') =>
      await world.services.store.reader('system').all(query((db) => db.selectFrom(table).select('id')))
    assert.deepEqual([await left('webhook_deliveries'), await left('webhook_endpoints')], [[], []])
  })
})

/** What endpoints receive: which events, in which bytes, and which events are excluded. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, it } from 'node:test'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { loseEvents } from '../../../test/lost-events.ts'
import { answer, type Received, type Receiver } from '../../../test/receiver.ts'
import { endpointPath, openWebhooks } from '../../../test/webhooks.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { query } from '../../db/query.ts'
import { sweeps } from '../sweeps/sweeps.ts'

const second = 1000
const hour = 3_600_000

/** Verification by receivers: each package checks the bytes as received. */
const verifiers: readonly ((secret: string, got: Received) => void)[] = [
  (secret, { body, headers }) => Stripe.webhooks.constructEvent(body, headers['service-signature'] as string, secret),
  (secret, { body, headers }) => new StandardWebhook(secret).verify(body, headers as Record<string, string>),
  (secret, { body, headers }) => new SvixWebhook(secret).verify(body, headers as Record<string, string>),
]

onEveryWorld('webhook deliveries', (world) => {
  const webhooks = openFirst(() => openWebhooks(world))
  let receiver: Receiver
  beforeEach(async () => {
    receiver = await webhooks.open()
  })
  afterEach(() => webhooks.clear())

  it('an event reaches the subscribed endpoints exactly as the API shows it and is recorded as succeeded', async () => {
    const { id } = await webhooks.endpoint()
    await webhooks.endpoint({ event_types: ['workflow.comment.*'] })
    const { id: taskId } = await webhooks.task()
    await webhooks.drain()
    const event = await webhooks.lastEvent()
    assert.equal(receiver.events.length, 1)
    const [got] = receiver.events as [Received]
    assert.deepEqual(got.event, event)
    assert.equal(got.event.data.object.id, taskId)
    const delivery = await webhooks.deliveryOf(event.id, id)
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
    assert.equal((await webhooks.shown(id)).last_success_at, Math.floor(world.clock.now() / 1000))
    await webhooks.drain()
    assert.equal(receiver.events.length, 1)
  })

  it('events that use the numbers of events lost in a failover are delivered, and none twice', async () => {
    await webhooks.endpoint()
    await webhooks.task('before')
    await webhooks.drain()
    const { sequence } = await webhooks.lastEvent()
    for (const title of ['lost 1', 'lost 2', 'lost 3']) await webhooks.task(title)
    await webhooks.drain()
    const titles = () => receiver.events.map(({ event }) => event.data.object.title)
    for (const made of [['kept 1', 'kept 2'], ['kept 3']]) {
      await loseEvents(world, sequence)
      const before = titles().length
      for (const title of made) await webhooks.task(title)
      await webhooks.drain()
      assert.deepEqual(titles().slice(before).toSorted(), made)
    }
    await webhooks.task('after')
    await webhooks.drain()
    assert.equal(titles().at(-1), 'after')
    assert.equal(titles().length, 8)
  })

  it('deliveries change no revision and add no event or audit entry', async () => {
    const { id } = await webhooks.endpoint({ event_types: ['*'] })
    await webhooks.task()
    await world.markWritten()
    await webhooks.drain()
    assert.equal((await webhooks.shown(id)).revision, 1)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('stripe, standardwebhooks and svix verify the exact bytes with the old and the new secret and reject a changed byte', async () => {
    // The packages compare with the machine's clock and allow five minutes.
    world.clock.set(Date.now() - limits.secret_overlap_ms)
    const first = await webhooks.endpoint()
    const rotatedAt = world.clock.now() + 60 * second
    world.clock.set(Date.now())
    await webhooks.task('Ünïcödé ☃ "quoted"')
    await webhooks.drain()
    world.clock.set(rotatedAt)
    const rotated = (await world.post(`${endpointPath}/${first.id}/rotate_secret`)).body
    world.clock.set(Date.now())
    await webhooks.task('Again')
    await webhooks.drain()
    world.clock.advance(120 * second)
    await webhooks.task('After the overlap')
    await webhooks.drain()
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

  it('a paused endpoint queues nothing; deliveries that were due before continue when it is enabled again', async () => {
    const { id } = await webhooks.endpoint()
    receiver.respond = answer(500)
    await webhooks.task('before')
    await webhooks.drain()
    const before_ = (await webhooks.lastEvent()).id
    await world.patch(`${endpointPath}/${id}`, { status: 'paused' })
    await webhooks.task('meanwhile')
    const meanwhile = (await webhooks.lastEvent()).id
    world.clock.advance(hour)
    await webhooks.drain()
    assert.equal(receiver.events.length, 1)
    const [waiting, skipped] = [await webhooks.deliveryOf(before_, id), await webhooks.deliveryOf(meanwhile, id)]
    assert.deepEqual([waiting.status, waiting.next_attempt_at], ['pending', null])
    assert.deepEqual([skipped.status, skipped.skip_reason], ['skipped', 'endpoint_paused'])
    receiver.respond = answer(204)
    await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })
    await webhooks.task('after')
    await webhooks.drain()
    assert.deepEqual(
      receiver.events.map((got) => got.event.data.object.title),
      ['before', 'before', 'after'],
    )
    assert.equal((await webhooks.deliveryOf(meanwhile, id)).skip_reason, 'endpoint_paused')
  })

  it('an endpoint that excludes its own events receives only the others', async () => {
    const { id } = await webhooks.endpoint({ exclude_own_events: true })
    await webhooks.task('own')
    const own = (await webhooks.lastEvent()).id
    const { secret } = await world.key()
    await world.make('/v1/tasks', { workspace: webhooks.workspace, title: 'foreign' }, { key: secret })
    await webhooks.drain()
    assert.deepEqual(
      receiver.events.map((got) => got.event.data.object.title),
      ['foreign'],
    )
    const skipped = await webhooks.deliveryOf(own, id)
    assert.deepEqual([skipped.id, skipped.status, skipped.skip_reason], [null, 'skipped', 'own_event'])
  })

  it('test events reach test endpoints only', async () => {
    await webhooks.endpoint({ event_types: ['*'] })
    await world.make('/v1/workspaces', { title: 'Test' }, { key: world.acme.testKey })
    await world.make('/v1/workspaces', { title: 'Elsewhere' }, { key: world.globex.key })
    await webhooks.drain()
    assert.deepEqual(receiver.events, [])
  })

  it('an endpoint receives no event from before its creation, nor its creation itself', async () => {
    await webhooks.endpoint({ event_types: ['*'] }, await webhooks.open())
    await webhooks.task('earlier')
    const earlier = (await webhooks.lastEvent()).id
    const { id } = await webhooks.endpoint({ event_types: ['*'] })
    await webhooks.task('later')
    await webhooks.drain()
    assert.deepEqual(
      receiver.events.map((got) => got.event.data.object.title),
      ['later'],
    )
    assert.equal((await webhooks.deliveryOf(earlier, id)).skip_reason, 'not_subscribed')
  })

  it('a deleted endpoint receives nothing further, and a sweep removes its rows', async () => {
    const { id } = await webhooks.endpoint()
    receiver.respond = answer(500)
    await webhooks.task()
    await webhooks.drain()
    await world.delete(`${endpointPath}/${id}`)
    world.clock.advance(hour)
    await webhooks.task()
    await webhooks.drain()
    assert.equal(receiver.events.length, 1)
    const sweep = sweeps.find(({ name }) => name === 'webhook_sweep')
    while ((await sweep?.run(world.services, 10, new AbortController().signal)) !== 0);
    const left = async (table: 'webhook_deliveries' | 'webhook_endpoints') =>
      await world.services.store.reader('system').all(query((db) => db.selectFrom(table).select('id')))
    assert.deepEqual([await left('webhook_deliveries'), await left('webhook_endpoints')], [[], []])
  })
})

/** What an endpoint received and missed: its deliveries, a test of it, and the recovery of missed events. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { planRecorder } from '../../../test/plan-recorder.ts'
import { answer, type Receiver } from '../../../test/receiver.ts'
import { endpointPath, openWebhooks, type Webhooks } from '../../../test/webhooks.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { definition } from '../../db/query.ts'
import { idTime, newId, smallestId } from '../../lib/ids.ts'
import { signatureHeaders } from '../webhook_endpoints/signature.ts'
import { readDeliveries } from './queries.ts'

interface Shown {
  readonly id: string
  readonly event: string
  readonly status: string
  readonly created: number
  readonly next_attempt_at: number | null
  readonly attempts: readonly { readonly number: number; readonly trigger: string; readonly http_status: number }[]
}

onEveryWorld('the deliveries of an endpoint', (world, engine) => {
  let webhooks: Webhooks
  let receiver: Receiver
  before(async () => {
    // Ids never go back within a process, and the lists look for times in them.
    world.clock.set(Math.ceil(idTime(newId('evt', world.clock.now())) / 1000) * 1000)
    webhooks = await openWebhooks(world)
  })
  beforeEach(async () => {
    receiver = await webhooks.open()
  })
  afterEach(() => webhooks.clear())

  const list = async (id: string, query = ''): Promise<Shown[]> =>
    (await world.get(`${endpointPath}/${id}/deliveries?limit=100${query}`)).body.data
  const second = () => Math.floor(world.clock.now() / 1000)
  const recover = (id: string, since: number) => world.post(`${endpointPath}/${id}/recover`, { since })
  const titles = () => receiver.events.map(({ event }) => event.data.object.title)

  it('the list has what was sent and is to be sent, newest first, by status and time', async () => {
    const { id } = await webhooks.endpoint()
    const other = await webhooks.endpoint({ event_types: ['workflow.comment.*'] })
    await webhooks.task('good')
    await webhooks.drain()
    receiver.respond = answer(500)
    const at = second()
    world.clock.advance(1000)
    await webhooks.task('bad')
    await webhooks.drain()
    const event = (await webhooks.lastEvent()).id
    const [failing, good] = (await list(id)) as [Shown, Shown]
    const { skip_reason: _skipped, ...shown } = await webhooks.deliveryOf(event, id)
    assert.deepEqual(failing, { ...shown, created: second(), event })
    assert.deepEqual([failing.status, good.status, good.next_attempt_at], ['pending', 'succeeded', null])
    assert.deepEqual([failing.attempts.length, failing.attempts[0]?.http_status], [1, 500])
    assert.deepEqual(await list(other.id), [])
    assert.deepEqual(await list(id, '&status=succeeded'), [good])
    assert.deepEqual(await list(id, '&status=pending'), [failing])
    assert.deepEqual(await list(id, '&status=failed'), [])
    assert.deepEqual(await list(id, `&created_after=${at}`), [failing])
    assert.deepEqual(await list(id, `&created_after=${at}&status=succeeded`), [])
    const first = (await world.get(`${endpointPath}/${id}/deliveries?limit=1`)).body
    assert.deepEqual([first.data, first.has_more, first.next_cursor], [[failing], true, failing.id])
    assert.deepEqual(await list(id, `&starting_after=${failing.id}`), [good])
    assert.deepEqual(await list(id, `&ending_before=${good.id}`), [failing])
    const foreign = await world.get(`${endpointPath}/${other.id}/deliveries?starting_after=${good.id}`)
    assertRefused(foreign, 'cursor_filter_mismatch')
    const unknown = await world.get(
      `${endpointPath}/${id}/deliveries?starting_after=${newId('dlv', world.clock.now())}`,
    )
    assertRefused(unknown, 'cursor_invalid')
    await world.patch(`${endpointPath}/${id}`, { status: 'paused' })
    assert.deepEqual((await list(id))[0], { ...failing, next_attempt_at: null })
  })

  it('a test is sent at once, signed, to a paused endpoint too; its attempt is the answer and counts as nothing', async () => {
    const { signing_secret, ...made } = await webhooks.endpoint()
    await world.patch(`${endpointPath}/${made.id}`, { status: 'paused' })
    const before_ = await webhooks.shown(made.id)
    await world.markWritten()
    receiver.respond = answer(503, {}, 'Closed')
    const reply = await world.post(`${endpointPath}/${made.id}/test`, undefined, { idempotencyKey: 'try' })
    assert.deepEqual(
      { ...reply.body, duration_ms: 0 },
      {
        ...{ object: 'webhook_test', number: 1, created: second(), duration_ms: 0, http_status: 503 },
        ...{ error_category: 'http_status', response_excerpt: 'Closed', trigger: 'test' },
      },
    )
    const again = await world.post(`${endpointPath}/${made.id}/test`, undefined, { idempotencyKey: 'try' })
    assert.equal(again.text, reply.text)
    const [got, ...more] = receiver.events
    assert.equal(more.length, 0)
    assert.deepEqual([got?.event.type, got?.event.sequence], ['platform.webhook_endpoint.test', null])
    assert.deepEqual(got?.event.data.object, { id: made.id, object: 'webhook_endpoint', url: made.url })
    const signed = { id: got?.event.id, timestamp: second(), body: got?.body as string }
    for (const [name, value] of Object.entries(signatureHeaders(signed, [signing_secret]))) {
      assert.equal(got?.headers[name.toLowerCase()], value)
    }
    await world.assertWritten({ events: [], audit: ['webhook_endpoints.test'] })
    assert.deepEqual(await webhooks.shown(made.id), before_)
    assert.deepEqual(await list(made.id), [])
    await receiver.close()
    const { body } = await world.post(`${endpointPath}/${made.id}/test`)
    assert.deepEqual([body.http_status, body.error_category], [null, 'unreachable'])
    assert.equal((await webhooks.shown(made.id)).consecutive_failures, 0)
    receiver = await webhooks.open()
    webhooks.opened.splice(0, 1)
  })

  it('recovery sends what failed, what came while it was paused and what was before it, once and in order', async () => {
    world.clock.advance(5000)
    const since = second()
    await webhooks.task('before')
    const { id } = await webhooks.endpoint({ event_types: ['workflow.task.created'] })
    await webhooks.task('received')
    await webhooks.drain()
    receiver.respond = answer(500)
    await webhooks.task('failed')
    await webhooks.drain()
    await world.patch(`${endpointPath}/${id}`, { status: 'paused' })
    await webhooks.task('paused')
    await webhooks.drain()
    const refused = await recover(id, since)
    assertRefused(refused, 'resource_conflict')
    receiver.respond = answer(204)
    await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })
    receiver.events.splice(0)
    await world.markWritten()
    const { body } = await recover(id, since)
    assert.deepEqual(body, {
      ...{ object: 'webhook_recovery', webhook_endpoint: id, since, count: 3, has_more: false, next_since: null },
    })
    await world.assertWritten({ events: [], audit: ['webhook_endpoints.recover'] })
    assert.equal((await recover(id, since)).body.count, 0, 'what has a fresh schedule gets no other one')
    await webhooks.drain()
    assert.deepEqual(titles(), ['before', 'failed', 'paused'])
    assert.equal((await recover(id, since)).body.count, 0)
    const { attempts } = (await list(id)).find(({ attempts }) => attempts.length === 2) as Shown
    assert.deepEqual(
      attempts.map(({ trigger }) => trigger),
      ['automatic', 'recover'],
    )
    await webhooks.task('later')
    await webhooks.drain()
    assert.equal(titles().length, 4)
  })

  it('recovery looks at a bounded number of events a call and says where to go on', async () => {
    world.clock.advance(5000)
    const since = second()
    const ids: string[] = []
    const batch = (count: number) =>
      world.make('/v1/tasks/batch', {
        workspace: webhooks.workspace,
        data: Array.from({ length: count }, (_, i) => ({ title: `Task ${i}` })),
      })
    for (let i = 0; i < 21; i++) {
      await batch(100)
      world.clock.advance(1000)
    }
    const { id } = await webhooks.endpoint({ event_types: ['workflow.task.created'] })
    let next: number | null = since
    while (next !== null) {
      const { body } = await recover(id, next)
      ids.push(`${body.count} ${body.has_more}`)
      next = body.next_since
    }
    assert.deepEqual(ids, ['2000 true', '100 false'])
  })

  it('`since` is required and at most 14 days old', async () => {
    const { id } = await webhooks.endpoint()
    const oldest = second() - limits.webhook_recovery_ms / 1000
    assert.equal((await recover(id, oldest)).status, 200)
    const refused = await recover(id, oldest - 1)
    assertRefused(refused, 'invalid_request_body', 'since')
    assert.ok(refused.body.error.message.includes(String(oldest - 1)))
    assertRefused(await world.post(`${endpointPath}/${id}/recover`, {}), 'invalid_request_body', 'since')
    assert.equal((await recover(id, second() + 3600)).body.count, 0)
  })

  const start = Date.parse('2026-08-10T00:00:00Z')
  const page = { limit: 20, cursor: null, backwards: false, param: 'starting_after' } as const
  const id = 'whe_1'
  const plans = {
    'of an endpoint': { criteria: { id }, by: 'webhook_deliveries_endpoint', found: 21 },
    'of a rare status': { criteria: { id, status: 'failed' }, by: 'webhook_deliveries_status', found: 10 },
    'of a late time': { criteria: { id, from: start + 3_995 * 60_000 }, by: 'webhook_deliveries_endpoint', found: 6 },
  }
  for (const [name, { criteria, by, found }] of Object.entries(plans)) {
    it(`a page ${name} reads ${by} without a table scan`, async () => {
      const realm = world.acme.realms.test
      if (criteria === plans['of an endpoint'].criteria) await fill(realm)
      const read: string[] = []
      const reader = planRecorder(world.services.store.reader('system'), read)
      const rows = await readDeliveries(reader, { realm, page, ...criteria })
      assert.equal(rows.length, found, read.join())
      assert.match(read.join(), new RegExp(`\\b${by}`))
      assert.doesNotMatch(read.join(), /Seq Scan|SCAN webhook_deliveries|Sort|TEMP B-TREE/)
    })
  }

  /** 4,000 deliveries to one endpoint, one a minute; few have failed. */
  async function fill(realm: number): Promise<void> {
    await world.services.store.write('system', async (tx) => {
      for (let i = 1; i <= 4000; i++) {
        const created = start + i * 60_000
        tx.insert('webhook_deliveries', {
          ...{ realm, id: smallestId('dlv', created), created, event: `evt_${i}`, sequence: i },
          ...{ event_created: created, endpoint: id, status: i % 400 === 0 ? 'failed' : 'succeeded' },
          ...{ trigger: 'automatic', cycle: 1, cycle_attempts: 1, attempts: 1, next_attempt_at: null },
        })
      }
    })
    if (engine === 'postgres') {
      await world.services.store.migrate(async (tx) => tx.write(definition('analyze webhook_deliveries')))
    }
  }
})

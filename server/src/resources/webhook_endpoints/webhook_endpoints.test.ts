import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { change, storedText } from '../../../test/conformance/stored.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { answer, type Receiver } from '../../../test/receiver.ts'
import { endpointPath, openWebhooks, type Webhooks } from '../../../test/webhooks.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { updateQuery } from '../../db/query.ts'

onEveryEngine('webhook endpoints', (engine) => {
  let world: World
  let webhooks: Webhooks
  let receiver: Receiver
  before(async () => {
    world = await openWorld(engine)
    webhooks = await openWebhooks(world)
    receiver = await webhooks.open()
  })
  beforeEach(() => {
    receiver.verify = answer(204)
    receiver.verifications.length = 0
  })
  after(async () => {
    await webhooks.clear()
    await world.close()
  })

  it('an endpoint is created after its URL has answered; its secret is shown once', async () => {
    await world.markWritten()
    const made = await webhooks.endpoint({ exclude_own_events: true })
    assert.match(made.signing_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const { signing_secret: secret, ...endpoint } = made
    assert.deepEqual(endpoint, {
      id: made.id,
      object: 'webhook_endpoint',
      created: 1785844800,
      updated: 1785844800,
      url: receiver.url,
      event_types: ['workflow.task.*'],
      exclude_own_events: true,
      status: 'enabled',
      status_reason: null,
      api_version: '2026-08-03',
      verified_at: 1785844800,
      previous_secret_expires_at: null,
      last_success_at: null,
      last_failure_at: null,
      consecutive_failures: 0,
      revision: 1,
    })
    await world.assertWritten({ events: ['platform.webhook_endpoint.created'], audit: ['webhook_endpoints.create'] })
    assert.deepEqual((await world.get(`${endpointPath}/${made.id}`)).body, endpoint)
    assert.deepEqual((await world.get(`${endpointPath}?limit=1`)).body.data, [endpoint])
    const stored = await storedText(world)
    assert.ok(!stored.includes(secret) && !stored.includes(secret.slice('whsec_'.length)))
    assert.ok(!(await world.get('/v1/events?limit=1')).text.includes('whsec_'))
  })

  it('a replay shows the secret again to the same credential, without a second verification', async () => {
    const request = { url: receiver.url, event_types: ['*'] }
    const first = await world.post(endpointPath, request, { idempotencyKey: 'lost-answer' })
    const again = await world.post(endpointPath, request, { idempotencyKey: 'lost-answer' })
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    assert.equal(receiver.verifications.length, 1)
  })

  it('unknown event types are refused by their path, known ones and patterns accepted', async () => {
    for (const [event_types, param] of [
      [['workflow.task.created', 'workflow.task.exploded'], 'event_types[1]'],
      [['nothing.*'], 'event_types[0]'],
      [['workflow'], 'event_types[0]'],
      [[], 'event_types'],
      [['*', '*'], 'event_types'],
      ['*', 'event_types'],
    ] as const) {
      assertRefused(await world.post(endpointPath, { url: receiver.url, event_types }), 'invalid_request_body', param)
    }
    assert.equal(receiver.verifications.length, 0)
    await webhooks.endpoint({ event_types: ['*', 'platform.*', 'workflow.task.*', 'workflow.comment.created'] })
  })

  it('rotation shows a new secret once and refuses another within a day', async () => {
    const made = await webhooks.endpoint()
    await world.markWritten()
    const rotated = (await world.post(`${endpointPath}/${made.id}/rotate_secret`)).body
    assert.notEqual(rotated.signing_secret, made.signing_secret)
    assert.match(rotated.signing_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(rotated.previous_secret_expires_at, Math.floor(world.clock.now() / 1000) + 86_400)
    await world.assertWritten({
      events: ['platform.webhook_endpoint.secret_rotated'],
      audit: ['webhook_endpoints.rotate_secret'],
    })
    assertRefused(await world.post(`${endpointPath}/${made.id}/rotate_secret`), 'resource_conflict')
    world.clock.advance(limits.secret_overlap_ms - 1)
    assertRefused(await world.post(`${endpointPath}/${made.id}/rotate_secret`), 'resource_conflict')
    world.clock.advance(1)
    assert.equal((await world.get(`${endpointPath}/${made.id}`)).body.previous_secret_expires_at, null)
    assert.equal((await world.post(`${endpointPath}/${made.id}/rotate_secret`)).status, 200)
  })

  it('a deleted endpoint answers 404 to every operation and is not listed', async () => {
    const made = await webhooks.endpoint()
    const before_ = await webhooks.count()
    await world.markWritten()
    const reply = await world.delete(`${endpointPath}/${made.id}`)
    assert.deepEqual(reply.body, { id: made.id, object: 'webhook_endpoint', deleted: true })
    await world.assertWritten({ events: ['platform.webhook_endpoint.deleted'], audit: ['webhook_endpoints.delete'] })
    assert.equal(await webhooks.count(), before_ - 1)
    receiver.verifications.length = 0
    for (const gone of [
      await world.get(`${endpointPath}/${made.id}`),
      await world.patch(`${endpointPath}/${made.id}`, { url: `${receiver.url}/x` }),
      await world.delete(`${endpointPath}/${made.id}`),
      await world.post(`${endpointPath}/${made.id}/rotate_secret`),
    ]) {
      assertRefused(gone, 'resource_not_found')
    }
    assert.equal(receiver.verifications.length, 0)
  })

  it('foreign endpoints and those of the test realm are not found', async () => {
    const { id } = await webhooks.endpoint()
    for (const key of [world.globex.key, world.acme.testKey]) {
      assertRefused(await world.get(`${endpointPath}/${id}`, { key }), 'resource_not_found')
      assertRefused(await world.patch(`${endpointPath}/${id}`, { status: 'paused' }, { key }), 'resource_not_found')
      assert.deepEqual((await world.get(endpointPath, { key })).body.data, [])
    }
  })

  it('the list is paged by opaque cursors, each endpoint once', async () => {
    for (let i = 0; i < 5; i++) await webhooks.endpoint()
    const all = (await world.get(`${endpointPath}?limit=100`)).body.data
    const walked: unknown[] = []
    let next = ''
    do {
      const page = (await world.get(`${endpointPath}?limit=3${next}`)).body
      walked.push(...page.data)
      next = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (next !== '')
    assert.deepEqual(walked, all)
  })

  it('a write that ends without an outcome releases its key at once', async () => {
    const refused = await world.post(
      endpointPath,
      { url: receiver.url, event_types: ['no.such'] },
      { idempotencyKey: 'freed' },
    )
    assertRefused(refused, 'invalid_request_body', 'event_types[0]')
    const made = await world.post(endpointPath, { url: receiver.url, event_types: ['*'] }, { idempotencyKey: 'freed' })
    assert.equal(made.status, 200)
  })

  it('enabling an endpoint that the system disabled resets its failures', async () => {
    const { id } = await webhooks.endpoint()
    const failing = { status: 'disabled', status_reason: 'Gone.', consecutive_failures: 9, failing_since: 1 }
    const broken = updateQuery('webhook_endpoints', Object.keys(failing))
    await change(world, broken, { ...failing, realm: world.acme.realms.live, id })
    const shown = (await world.get(`${endpointPath}/${id}`)).body
    assert.deepEqual([shown.status, shown.status_reason, shown.consecutive_failures], ['disabled', 'Gone.', 9])
    const enabled = (await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })).body
    assert.deepEqual([enabled.status, enabled.status_reason, enabled.consecutive_failures], ['enabled', null, 0])
  })
})

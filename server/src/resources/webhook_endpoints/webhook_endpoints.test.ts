import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, beforeEach, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { change, storedText } from '../../../test/conformance/stored.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { answer, openReceiver, type Receiver } from '../../../test/receiver.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { updateQuery } from '../../db/query.ts'
import { limits } from '../../lib/limits.ts'

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

onEveryEngine('webhook endpoints', (engine) => {
  let world: World
  let receiver: Receiver
  before(async () => {
    world = await openWorld(engine)
    receiver = await openReceiver()
  })
  beforeEach(() => {
    receiver.verify = answer(204)
    receiver.verifications.length = 0
  })
  after(async () => {
    await world.close()
    await receiver.close()
  })

  const path = '/v1/webhook_endpoints'
  const make = (body: object = {}) => world.make(path, { url: receiver.url, event_types: ['workflow.task.*'], ...body })
  const count = async () => (await world.get(`${path}?limit=100`)).body.data.length

  it('one is created when its URL has answered, with a secret that is shown this once', async () => {
    await world.markWritten()
    const made = await make({ exclude_own_events: true })
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
    assert.deepEqual((await world.get(`${path}/${made.id}`)).body, endpoint)
    assert.deepEqual((await world.get(`${path}?limit=1`)).body.data, [endpoint])
    const stored = await storedText(world)
    assert.ok(!stored.includes(secret) && !stored.includes(secret.slice('whsec_'.length)))
    assert.ok(!(await world.get('/v1/events?limit=1')).text.includes('whsec_'))
  })

  it('the verification is an unsigned event that names no secret', async () => {
    const made = await make()
    const [probe] = receiver.verifications
    assert.equal(receiver.verifications.length, 1)
    assert.equal(probe?.event.type, 'platform.webhook_endpoint.verify')
    assert.equal(probe?.event.object, 'event')
    assert.deepEqual(probe?.event.data.object, { id: null, object: 'webhook_endpoint', url: receiver.url })
    assert.equal(probe?.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(probe?.headers['user-agent'], 'Atrium-Webhooks/1')
    assert.equal(probe?.headers['service-event-type'], 'platform.webhook_endpoint.verify')
    assert.equal(probe?.headers['service-signature'], undefined)
    assert.equal(probe?.headers['webhook-signature'], undefined)
    assert.ok(!probe?.body.includes(made.signing_secret))
  })

  it('nothing is stored when the URL does not answer with 2xx, and the answer says no more than that', async () => {
    const before_ = await count()
    await world.markWritten()
    for (const respond of [answer(500), answer(404), answer(302, { location: receiver.url }), answer(300)]) {
      receiver.verify = respond
      const reply = await world.post(path, { url: receiver.url, event_types: ['*'] })
      assertRefused(reply, 'webhook_verification_failed', 'url')
      assert.equal(reply.body.error.message, 'The URL did not answer the verification with a 2xx status.')
    }
    assert.equal(await count(), before_)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a closed port and a server that hangs up are one category', async () => {
    const hangsUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await new Promise((resolve) => hangsUp.once('listening', resolve))
    const { port } = hangsUp.address() as { port: number }
    for (const url of [`http://127.0.0.1:${await closedPort()}/`, `http://127.0.0.1:${port}/`]) {
      const reply = await world.post(path, { url, event_types: ['*'] })
      assertRefused(reply, 'webhook_target_unavailable', 'url')
      assert.equal(reply.body.error.message, 'The URL could not be reached.')
    }
    await new Promise((resolve) => hangsUp.close(resolve))
  })

  it('what a URL itself shows is refused before anyone is asked', async () => {
    const long = `https://example.com/${'a'.repeat(limits.webhook_url_chars_max)}`
    const wrong = ['', 'hook', 'ftp://example.com/', 'http://example.com/', 'https://10.0.0.1/', 'https://[::1]/', long]
    for (const url of [...wrong, 'https://localhost.invalid/', 'https://user@example.com/', 'https://example.com/#x']) {
      assertRefused(await world.post(path, { url, event_types: ['*'] }), 'invalid_webhook_url', 'url')
    }
    assert.equal(receiver.verifications.length, 0)
  })

  it('a failed verification is kept for its key, as any decision is', async () => {
    const request = { url: receiver.url, event_types: ['*'] }
    receiver.verify = answer(503)
    const first = await world.post(path, request, { idempotencyKey: 'fails' })
    receiver.verify = answer(204)
    const again = await world.post(path, request, { idempotencyKey: 'fails' })
    assertRefused(again, 'webhook_verification_failed', 'url')
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.headers['original-request'], first.headers['x-request-id'])
    assert.equal(receiver.verifications.length, 1)
  })

  it('a replay shows the secret again to the same credential, and asks the URL no second time', async () => {
    const request = { url: receiver.url, event_types: ['*'] }
    const first = await world.post(path, request, { idempotencyKey: 'lost-answer' })
    const again = await world.post(path, request, { idempotencyKey: 'lost-answer' })
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
    assert.equal(receiver.verifications.length, 1)
  })

  it('unknown event types are refused by their place; known ones and patterns are not', async () => {
    for (const [event_types, param] of [
      [['workflow.task.created', 'workflow.task.exploded'], 'event_types[1]'],
      [['nothing.*'], 'event_types[0]'],
      [['workflow'], 'event_types[0]'],
      [[], 'event_types'],
      [['*', '*'], 'event_types'],
      ['*', 'event_types'],
    ] as const) {
      assertRefused(await world.post(path, { url: receiver.url, event_types }), 'invalid_request_body', param)
    }
    assert.equal(receiver.verifications.length, 0)
    await make({ event_types: ['*', 'platform.*', 'workflow.task.*', 'workflow.comment.created'] })
  })

  it('an update that needs no verification asks nobody', async () => {
    const { id } = await make()
    receiver.verifications.length = 0
    await world.markWritten()
    const reply = await world.patch(`${path}/${id}`, {
      event_types: ['*'],
      exclude_own_events: true,
      url: receiver.url,
    })
    assert.deepEqual([reply.body.event_types, reply.body.exclude_own_events, reply.body.revision], [['*'], true, 2])
    assert.equal(receiver.verifications.length, 0)
    await world.assertWritten({ events: ['platform.webhook_endpoint.updated'], audit: ['webhook_endpoints.update'] })
    assert.equal((await world.patch(`${path}/${id}`, { event_types: ['*'] })).body.revision, 2)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a changed URL is verified; when that fails nothing is changed', async () => {
    const { id } = await make()
    receiver.verify = answer(500)
    const refused = await world.patch(`${path}/${id}`, { url: `${receiver.url}/new`, event_types: ['*'] })
    assertRefused(refused, 'webhook_verification_failed', 'url')
    const shown = (await world.get(`${path}/${id}`)).body
    assert.deepEqual([shown.url, shown.event_types, shown.revision], [receiver.url, ['workflow.task.*'], 1])
    receiver.verify = answer(200)
    world.clock.advance(5000)
    const changed = (await world.patch(`${path}/${id}`, { url: `${receiver.url}/new` })).body
    assert.deepEqual([changed.url, changed.revision], [`${receiver.url}/new`, 2])
    assert.equal(changed.verified_at, Math.floor(world.clock.now() / 1000))
  })

  it('pausing asks nobody, becoming enabled does, and disabled cannot be written', async () => {
    const { id } = await make()
    receiver.verifications.length = 0
    assert.equal((await world.patch(`${path}/${id}`, { status: 'paused' })).body.status, 'paused')
    assert.equal(receiver.verifications.length, 0)
    receiver.verify = answer(410)
    assertRefused(await world.patch(`${path}/${id}`, { status: 'enabled' }), 'webhook_verification_failed', 'url')
    receiver.verify = answer(204)
    assert.equal((await world.patch(`${path}/${id}`, { status: 'enabled' })).body.status, 'enabled')
    assert.equal(receiver.verifications.length, 2)
    assert.equal((await world.patch(`${path}/${id}`, { status: 'enabled' })).body.revision, 3)
    assert.equal(receiver.verifications.length, 2)
    for (const status of ['disabled', 'deleted', 'ENABLED', '']) {
      assertRefused(await world.patch(`${path}/${id}`, { status }), 'invalid_request_body', 'status')
      assertRefused(await world.patch(`${path}/whe_none`, { status }), 'invalid_request_body', 'status')
    }
  })

  it('an update that was overtaken while it asked is refused, not mixed', async () => {
    const { id } = await make()
    receiver.verify = (_received, response) => {
      receiver.verify = answer(204)
      void world.patch(`${path}/${id}`, { url: `${receiver.url}/first` }).then(() => response.writeHead(204).end())
    }
    assert.equal((await world.patch(`${path}/${id}`, { status: 'paused' })).status, 200)
    const reply = await world.patch(`${path}/${id}`, { status: 'enabled' })
    assertRefused(reply, 'resource_conflict')
    const shown = (await world.get(`${path}/${id}`)).body
    assert.deepEqual([shown.url, shown.status], [`${receiver.url}/first`, 'paused'])
  })

  it('rotation shows a new secret once and refuses another within a day', async () => {
    const made = await make()
    await world.markWritten()
    const rotated = (await world.post(`${path}/${made.id}/rotate_secret`)).body
    assert.notEqual(rotated.signing_secret, made.signing_secret)
    assert.match(rotated.signing_secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(rotated.previous_secret_expires_at, Math.floor(world.clock.now() / 1000) + 86_400)
    await world.assertWritten({
      events: ['platform.webhook_endpoint.secret_rotated'],
      audit: ['webhook_endpoints.rotate_secret'],
    })
    assertRefused(await world.post(`${path}/${made.id}/rotate_secret`), 'resource_conflict')
    world.clock.advance(limits.secret_overlap_ms - 1)
    assertRefused(await world.post(`${path}/${made.id}/rotate_secret`), 'resource_conflict')
    world.clock.advance(1)
    assert.equal((await world.get(`${path}/${made.id}`)).body.previous_secret_expires_at, null)
    assert.equal((await world.post(`${path}/${made.id}/rotate_secret`)).status, 200)
  })

  it('a deleted one is gone: 404 for everything, and not in the list', async () => {
    const made = await make()
    const before_ = await count()
    await world.markWritten()
    const reply = await world.delete(`${path}/${made.id}`)
    assert.deepEqual(reply.body, { id: made.id, object: 'webhook_endpoint', deleted: true })
    await world.assertWritten({ events: ['platform.webhook_endpoint.deleted'], audit: ['webhook_endpoints.delete'] })
    assert.equal(await count(), before_ - 1)
    receiver.verifications.length = 0
    for (const gone of [
      await world.get(`${path}/${made.id}`),
      await world.patch(`${path}/${made.id}`, { url: `${receiver.url}/x` }),
      await world.delete(`${path}/${made.id}`),
      await world.post(`${path}/${made.id}/rotate_secret`),
    ]) {
      assertRefused(gone, 'resource_not_found')
    }
    assert.equal(receiver.verifications.length, 0)
  })

  it('foreign and test-mode endpoints are never seen', async () => {
    const { id } = await make()
    for (const key of [world.globex.key, world.acme.testKey]) {
      assertRefused(await world.get(`${path}/${id}`, { key }), 'resource_not_found')
      assertRefused(await world.patch(`${path}/${id}`, { status: 'paused' }, { key }), 'resource_not_found')
      assert.deepEqual((await world.get(path, { key })).body.data, [])
    }
  })

  it('the list is walked by opaque cursors, each endpoint once', async () => {
    for (let i = 0; i < 5; i++) await make()
    const all = (await world.get(`${path}?limit=100`)).body.data
    const walked: unknown[] = []
    let next = ''
    do {
      const page = (await world.get(`${path}?limit=3${next}`)).body
      walked.push(...page.data)
      next = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`
    } while (next !== '')
    assert.deepEqual(walked, all)
  })

  it('while the URL is asked, a twin gets in progress; a claim whose process was lost is over after a minute', async () => {
    const request = { url: receiver.url, event_types: ['*'] }
    const options = { idempotencyKey: 'twin' }
    const twin = new Promise<Awaited<ReturnType<typeof world.post>>>((resolve) => {
      receiver.verify = (_received, response) => {
        // As another process would see it: only the committed claim tells.
        world.services.inProgress.clear()
        void world.post(path, request, options).then((reply) => {
          response.writeHead(204).end()
          resolve(reply)
        })
      }
    })
    const first = await world.post(path, request, options)
    assertRefused(await twin, 'idempotency_in_progress', 'Idempotency-Key')
    assert.equal((await twin).headers['retry-after'], '1')
    assert.equal(first.status, 200)
    assert.equal(receiver.verifications.length, 1)

    receiver.verify = answer(204)
    const lost = await world.post(path, request, { idempotencyKey: 'lost' })
    const { realms, keyId } = world.acme
    const { query } = await import('../../db/query.ts')
    const asIfClaimed = query((db, p) =>
      db
        .updateTable('idempotency')
        .set({ state: 'claimed', status: 0, body: '', sealed: 0, lease_until: p('until') })
        .where('realm', '=', p('realm'))
        .where('credential', '=', p('credential'))
        .where('key', '=', 'lost'),
    )
    const until = world.clock.now() + limits.idempotency_lease_ms
    await change(world, asIfClaimed, { realm: realms.live, credential: keyId, until })
    assertRefused(await world.post(path, request, { idempotencyKey: 'lost' }), 'idempotency_in_progress')
    world.clock.advance(limits.idempotency_lease_ms)
    const again = await world.post(path, request, { idempotencyKey: 'lost' })
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, undefined])
    assert.notEqual(again.body.id, lost.body.id)
  })

  it('a write that ended without an outcome frees its key at once', async () => {
    const refused = await world.post(path, { url: receiver.url, event_types: ['no.such'] }, { idempotencyKey: 'freed' })
    assertRefused(refused, 'invalid_request_body', 'event_types[0]')
    const made = await world.post(path, { url: receiver.url, event_types: ['*'] }, { idempotencyKey: 'freed' })
    assert.equal(made.status, 200)
  })

  it('enabling one that the system disabled forgets the failures', async () => {
    const { id } = await make()
    const failing = { status: 'disabled', status_reason: 'Gone.', consecutive_failures: 9, failing_since: 1 }
    const broken = updateQuery('webhook_endpoints', Object.keys(failing))
    await change(world, broken, { ...failing, realm: world.acme.realms.live, id })
    const shown = (await world.get(`${path}/${id}`)).body
    assert.deepEqual([shown.status, shown.status_reason, shown.consecutive_failures], ['disabled', 'Gone.', 9])
    const enabled = (await world.patch(`${path}/${id}`, { status: 'enabled' })).body
    assert.deepEqual([enabled.status, enabled.status_reason, enabled.consecutive_failures], ['enabled', null, 0])
  })
})

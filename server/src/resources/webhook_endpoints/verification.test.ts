/** The verification of an endpoint's URL: when it happens, its request, and the effect of each answer. */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, beforeEach, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { change } from '../../../test/conformance/stored.ts'
import { localServers } from '../../../test/egress.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { answer, type Receiver } from '../../../test/receiver.ts'
import { endpointPath, openWebhooks, type Webhooks } from '../../../test/webhooks.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { openStore } from '../../db/open.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { egress_limits } from '../../egress/limits.ts'

interface LostClaim extends Record<string, unknown> {
  readonly until: number | null
  readonly realm: number
  readonly credential: string
  readonly process: string
}

onEveryEngine('webhook endpoints', (engine) => {
  const { listen, closedPort } = localServers()
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

  it('the verification is an unsigned event without a secret', async () => {
    const made = await webhooks.endpoint()
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

  it('nothing is stored if the URL does not answer with 2xx, and the refusal reveals no more', async () => {
    const before_ = await webhooks.count()
    await world.markWritten()
    for (const respond of [answer(500), answer(404), answer(302, { location: receiver.url }), answer(300)]) {
      receiver.verify = respond
      const reply = await world.post(endpointPath, { url: receiver.url, event_types: ['*'] })
      assertRefused(reply, 'webhook_verification_failed', 'url')
      assert.equal(reply.body.error.message, 'The URL did not answer the verification request with a 2xx status.')
    }
    assert.equal(await webhooks.count(), before_)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a closed port and a server that hangs up are the same category', async () => {
    const hangsUp = await listen(createServer((socket) => socket.destroy()))
    for (const port of [await closedPort(), hangsUp]) {
      const url = `http://127.0.0.1:${port}/`
      const reply = await world.post(endpointPath, { url, event_types: ['*'] })
      assertRefused(reply, 'webhook_target_unavailable', 'url')
      assert.equal(reply.body.error.message, 'The URL could not be reached.')
    }
  })

  it('a URL that is wrong in itself is refused without a request', async () => {
    const long = `https://example.com/${'a'.repeat(egress_limits.egress_url_chars_max)}`
    const wrong = ['', 'hook', 'ftp://example.com/', 'http://example.com/', 'https://10.0.0.1/', 'https://[::1]/', long]
    for (const url of [...wrong, 'https://localhost.invalid/', 'https://user@example.com/', 'https://example.com/#x']) {
      assertRefused(await world.post(endpointPath, { url, event_types: ['*'] }), 'invalid_webhook_url', 'url')
    }
    assert.equal(receiver.verifications.length, 0)
  })

  it('a failed verification is replayed for its key', async () => {
    const request = { url: receiver.url, event_types: ['*'] }
    receiver.verify = answer(503)
    const first = await world.post(endpointPath, request, { idempotencyKey: 'fails' })
    receiver.verify = answer(204)
    const again = await world.post(endpointPath, request, { idempotencyKey: 'fails' })
    assertRefused(again, 'webhook_verification_failed', 'url')
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(again.headers['original-request'], first.headers['x-request-id'])
    assert.equal(receiver.verifications.length, 1)
  })

  it('an update without a new URL sends no verification', async () => {
    const { id } = await webhooks.endpoint()
    receiver.verifications.length = 0
    await world.markWritten()
    const reply = await world.patch(`${endpointPath}/${id}`, {
      event_types: ['*'],
      exclude_own_events: true,
      url: receiver.url,
    })
    assert.deepEqual([reply.body.event_types, reply.body.exclude_own_events, reply.body.revision], [['*'], true, 2])
    assert.equal(receiver.verifications.length, 0)
    await world.assertWritten({ events: ['platform.webhook_endpoint.updated'], audit: ['webhook_endpoints.update'] })
    assert.equal((await world.patch(`${endpointPath}/${id}`, { event_types: ['*'] })).body.revision, 2)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a new URL is verified; if that fails, nothing changes', async () => {
    const { id } = await webhooks.endpoint()
    receiver.verify = answer(500)
    const refused = await world.patch(`${endpointPath}/${id}`, { url: `${receiver.url}/new`, event_types: ['*'] })
    assertRefused(refused, 'webhook_verification_failed', 'url')
    const shown = (await world.get(`${endpointPath}/${id}`)).body
    assert.deepEqual([shown.url, shown.event_types, shown.revision], [receiver.url, ['workflow.task.*'], 1])
    receiver.verify = answer(200)
    world.clock.advance(5000)
    const changed = (await world.patch(`${endpointPath}/${id}`, { url: `${receiver.url}/new` })).body
    assert.deepEqual([changed.url, changed.revision], [`${receiver.url}/new`, 2])
    assert.equal(changed.verified_at, Math.floor(world.clock.now() / 1000))
  })

  it('enabling is verified, pausing is not, and disabled cannot be set', async () => {
    const { id } = await webhooks.endpoint()
    receiver.verifications.length = 0
    assert.equal((await world.patch(`${endpointPath}/${id}`, { status: 'paused' })).body.status, 'paused')
    assert.equal(receiver.verifications.length, 0)
    receiver.verify = answer(410)
    assertRefused(
      await world.patch(`${endpointPath}/${id}`, { status: 'enabled' }),
      'webhook_verification_failed',
      'url',
    )
    receiver.verify = answer(204)
    assert.equal((await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })).body.status, 'enabled')
    assert.equal(receiver.verifications.length, 2)
    assert.equal((await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })).body.revision, 3)
    assert.equal(receiver.verifications.length, 2)
    for (const status of ['disabled', 'deleted', 'ENABLED', '']) {
      assertRefused(await world.patch(`${endpointPath}/${id}`, { status }), 'invalid_request_body', 'status')
      assertRefused(await world.patch(`${endpointPath}/whe_none`, { status }), 'invalid_request_body', 'status')
    }
  })

  it('an update is refused if another one changed the endpoint during its verification', async () => {
    const { id } = await webhooks.endpoint()
    receiver.verify = (_received, response) => {
      receiver.verify = answer(204)
      void world
        .patch(`${endpointPath}/${id}`, { url: `${receiver.url}/first` })
        .then(() => response.writeHead(204).end())
    }
    assert.equal((await world.patch(`${endpointPath}/${id}`, { status: 'paused' })).status, 200)
    const reply = await world.patch(`${endpointPath}/${id}`, { status: 'enabled' })
    assertRefused(reply, 'resource_conflict')
    const shown = (await world.get(`${endpointPath}/${id}`)).body
    assert.deepEqual([shown.url, shown.status], [`${receiver.url}/first`, 'paused'])
  })

  it('during the verification a repeated request gets 409; the claim of an ended process is taken over at once, one that names no process after a minute', async () => {
    const request = { url: receiver.url, event_types: ['*'] }
    const options = { idempotencyKey: 'twin' }
    const twin = new Promise<Awaited<ReturnType<typeof world.post>>>((resolve) => {
      receiver.verify = (_received, response) => {
        // As in another process, which sees only the committed claim.
        world.services.inProgress.clear()
        void world.post(endpointPath, request, options).then((reply) => {
          response.writeHead(204).end()
          resolve(reply)
        })
      }
    })
    const first = await world.post(endpointPath, request, options)
    assertRefused(await twin, 'idempotency_in_progress', 'Idempotency-Key')
    assert.equal((await twin).headers['retry-after'], '1')
    assert.equal(first.status, 200)
    assert.equal(receiver.verifications.length, 1)

    receiver.verify = answer(204)
    const lost = await world.post(endpointPath, request, { idempotencyKey: 'lost' })
    const { realms, keyId } = world.acme
    const asIfClaimed = query((db, p: Placeholder<LostClaim>) =>
      db
        .updateTable('idempotency')
        .set({ state: 'claimed', status: 0, body: p('process'), sealed: 0, lease_until: p('until') })
        .where('realm', '=', p('realm'))
        .where('credential', '=', p('credential'))
        .where('key', '=', 'lost'),
    )
    const until = world.clock.now() + limits.idempotency_lease_ms
    const other = await openStore(world.database.url)
    const claim = { realm: realms.live, credential: keyId, until }
    await change(world, asIfClaimed, { ...claim, process: other.processes.own() })
    assertRefused(await world.post(endpointPath, request, { idempotencyKey: 'lost' }), 'idempotency_in_progress')
    await other.close()
    const taken = await world.post(endpointPath, request, { idempotencyKey: 'lost' })
    assert.deepEqual([taken.status, taken.headers['idempotent-replayed']], [200, undefined], 'its process has ended')
    // A claim of an earlier version names no process.
    await change(world, asIfClaimed, { ...claim, process: '' })
    assertRefused(await world.post(endpointPath, request, { idempotencyKey: 'lost' }), 'idempotency_in_progress')
    world.clock.advance(limits.idempotency_lease_ms)
    const again = await world.post(endpointPath, request, { idempotencyKey: 'lost' })
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [200, undefined])
    assert.notEqual(again.body.id, lost.body.id)
  })
})

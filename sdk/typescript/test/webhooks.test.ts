/** Verification of webhooks: real deliveries of Atrium, and signatures of other libraries. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { drainDeliveries } from '../../../server/src/workers/deliveries/deliveries.ts'
import { onOneEngine } from '../../../server/test/engines.ts'
import { openReceiver, type Received, type Receiver } from '../../../server/test/receiver.ts'
import { started_at, worldOf } from '../../../server/test/world.ts'
import { Atrium, type AtriumEvent, verifyWebhook, WebhookVerificationError } from '../src/index.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const now = 1785844800
const body = '{"type":"workflow.task.created","name":"Zoë – 任务"}'
const sign = (payload: string, timestamp = now, by = secret) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: by, timestamp })

async function refused(verifying: Promise<unknown>, reason: string): Promise<void> {
  await assert.rejects(verifying, (error) => {
    assert.ok(error instanceof WebhookVerificationError, String(error))
    assert.equal(error.reason, reason)
    return true
  })
}

describe('a webhook’s signature', () => {
  it('is valid over the exact bytes, as text or bytes, from a header value or any headers object', async () => {
    const signature = sign(body)
    const bytes = Buffer.from(body)
    const raw: ArrayBuffer = new Uint8Array(bytes).buffer
    for (const given of [body, bytes, new Uint8Array(bytes), raw]) {
      for (const headers of [
        signature,
        new Headers({ 'Service-Signature': signature }),
        { 'service-signature': signature },
        { 'Service-Signature': [signature] },
      ]) {
        assert.deepEqual(await verifyWebhook(given, headers, secret, { now }), JSON.parse(body))
      }
    }
  })

  it('of Standard Webhooks is valid, as their own package makes it', async () => {
    const headers = (by: string, id = 'evt_1') => ({
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': `v2,AAAA ${new Webhook(by).sign(id, new Date(now * 1000), body)}`,
    })
    assert.deepEqual(await verifyWebhook(body, headers(secret), secret, { now }), JSON.parse(body))
    await refused(verifyWebhook(body, headers(other), secret, { now }), 'wrong_signature')
    await refused(
      verifyWebhook(body, { ...headers(secret), 'webhook-id': 'evt_2' }, secret, { now }),
      'wrong_signature',
    )
    await refused(verifyWebhook(`${body} `, headers(secret), secret, { now }), 'wrong_signature')
  })

  it('is valid with any of several secrets and any of several signatures', async () => {
    assert.deepEqual(await verifyWebhook(body, sign(body), [other, secret], { now }), JSON.parse(body))
    const both = `${sign(body, now, other)},${sign(body).split(',')[1]}`
    assert.deepEqual(await verifyWebhook(body, both, secret, { now }), JSON.parse(body))
    await refused(verifyWebhook(body, sign(body, now, other), secret, { now }), 'wrong_signature')
  })

  it('is invalid if a byte of the body, the time or the signature differs', async () => {
    const signature = sign(body)
    await refused(verifyWebhook(body.replace('Zoë', 'Zoe'), signature, secret, { now }), 'wrong_signature')
    await refused(
      verifyWebhook(body, signature.replace(`t=${now}`, `t=${now + 1}`), secret, { now }),
      'wrong_signature',
    )
    const flipped = signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0')
    await refused(verifyWebhook(body, flipped, secret, { now }), 'wrong_signature')
  })

  it('is valid for five minutes in both directions, or for another tolerance', async () => {
    const signature = sign(body)
    for (const age of [300, -300]) await verifyWebhook(body, signature, secret, { now: now + age })
    for (const age of [301, -301])
      await refused(verifyWebhook(body, signature, secret, { now: now + age }), 'outside_tolerance')
    await refused(verifyWebhook(body, signature, secret, { now: now + 11, tolerance: 10 }), 'outside_tolerance')
    await refused(verifyWebhook(body, signature, secret), 'outside_tolerance')
    const today = Math.floor(Date.now() / 1000)
    await verifyWebhook(body, sign(body, today), secret)
  })

  it('is reported as missing or malformed', async () => {
    await refused(verifyWebhook(body, {}, secret), 'missing_signature')
    await refused(verifyWebhook(body, { 'webhook-id': 'evt_1' }, secret), 'missing_signature')
    const v1 = sign(body).split(',')[1]
    for (const header of ['x', 't=1', `${v1}`, `t=x,${v1}`, `t=1,t=2,${v1}`, 't=1,v1=zz', 't=1,v0=00']) {
      await refused(verifyWebhook(body, header, secret, { now }), 'malformed_signature')
    }
  })

  it('refuses a signed body that is not an event', async () => {
    for (const payload of ['{', '[]', 'null', '{"type":1}']) {
      await refused(verifyWebhook(payload, sign(payload), secret, { now }), 'invalid_payload')
    }
  })

  it('is not checked for a parsed body or without a secret', async () => {
    await assert.rejects(verifyWebhook(JSON.parse(body), sign(body), secret, { now }), /needs the raw body/)
    for (const none of ['', [], ['']])
      await assert.rejects(verifyWebhook(body, sign(body), none, { now }), /needs the signing secret/)
  })
})

onOneEngine('a webhook', (engine) => {
  const world = worldOf(engine)
  let receiver: Receiver
  let atrium: Atrium
  before(async () => {
    receiver = await openReceiver()
    atrium = new Atrium({ apiKey: world.acme.key, baseUrl: world.server.url })
  })
  after(() => receiver.close())

  it('of a real delivery is verified, with the old and the new secret during a rotation', async () => {
    const endpoint = await atrium.webhookEndpoints.create({ url: receiver.url, event_types: ['workflow.task.*'] })
    const { id: workspace } = await atrium.workspaces.create({ title: 'Hooks' })
    const task = await atrium.tasks.create({ workspace, title: 'First' })
    const first = await delivered(1)
    const at = { now: Math.floor(started_at / 1000) }
    const event = await verifyWebhook(first.body, first.headers, endpoint.signing_secret, at)
    assert.equal(titleOf(event), 'First')
    assert.deepEqual(event.data.object, task)
    const { signing_secret: rotated } = await atrium.webhookEndpoints.rotateSecret(endpoint.id)
    await atrium.tasks.complete(task.id)
    const second = await delivered(2)
    for (const one of [rotated, endpoint.signing_secret, [endpoint.signing_secret, rotated]]) {
      assert.equal((await verifyWebhook(second.body, second.headers, one, at)).type, 'workflow.task.completed')
      const { 'service-signature': _own, ...standard } = second.headers
      assert.equal((await verifyWebhook(second.body, standard, one, at)).type, 'workflow.task.completed')
    }
    await refused(verifyWebhook(second.body, second.headers, secret, at), 'wrong_signature')
    const [probe] = receiver.verifications as [Received]
    await refused(verifyWebhook(probe.body, probe.headers, rotated, at), 'missing_signature')
  })

  async function delivered(count: number): Promise<Received> {
    await drainDeliveries(world.services)
    await receiver.received(count)
    return receiver.events[count - 1] as Received
  }
})

/** Compiles only if an event's type narrows its object. */
function titleOf(event: AtriumEvent): string | undefined {
  switch (event.type) {
    case 'workflow.task.created': {
      const { object } = event.data
      // @ts-expect-error A hidden object has an id and nothing else.
      const untested: string = object.title
      const nothing: null = event.data.previous_attributes
      return nothing ?? ('title' in object ? object.title : untested)
    }
    case 'workflow.task.updated':
      return event.data.previous_attributes?.title
    default:
      return undefined
  }
}

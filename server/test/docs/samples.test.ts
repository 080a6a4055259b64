/** The samples of docs/guides/webhooks.md that verify a delivery, in five languages. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { signatureHeaders } from '../../src/resources/webhook_endpoints/signature.ts'
import { drainDeliveries } from '../../src/workers/deliveries/deliveries.ts'
import { openReceiver, type Receiver } from '../receiver.ts'
import { onEveryWorld } from '../world.ts'
import { digestOf, interpreter, judge, languages, readRecorded, readVectors, type Vector } from './samples.ts'

const vectors = readVectors()
const recorded = readRecorded()

for (const [name, language] of Object.entries(languages)) {
  it(`the sample in ${name} is the recorded one that passed every case`, () => {
    assert.equal(
      recorded[name]?.sha256,
      digestOf(language),
      'the sample, its driver or the cases changed: run `node server/test/docs/samples.ts` where this language is installed',
    )
  })

  it(`the sample in ${name} passes every case if ${name} is installed`, (t) => {
    const version = interpreter(language)
    if (version === null) {
      t.diagnostic(`not installed here; it passed with ${recorded[name]?.ran_with}`)
      return
    }
    const judged = judge(language, vectors)
    assert.deepEqual(
      vectors.map(({ scheme, name, valid }, i) => [scheme, name, judged[i] === valid]),
      vectors.map(({ scheme, name }) => [scheme, name, true]),
    )
    t.diagnostic(version)
  })
}

it('the cases are signed as deliveries are; the valid ones pass with customers’ libraries', () => {
  const stripe = new Stripe('sk_none')
  for (const { scheme, name, valid, secret, headers, body_base64, now } of vectors) {
    const body = Buffer.from(body_base64, 'base64').toString()
    if (!['a delivery', 'an empty body'].includes(name)) continue
    const timestamp = now - 2
    const signed = signatureHeaders({ id: headers['webhook-id'] ?? '', timestamp, body }, [secret])
    for (const [header, value] of Object.entries(signed)) {
      if (headers[header.toLowerCase()] !== undefined) assert.equal(headers[header.toLowerCase()], value, name)
    }
    if (body === '') continue
    assert.ok(valid)
    if (scheme === 'standard') {
      const expected = new Webhook(secret).sign(String(headers['webhook-id']), new Date(timestamp * 1000), body)
      assert.equal(headers['webhook-signature'], expected)
    } else {
      const header = String(headers['service-signature'])
      assert.ok(stripe.webhooks.constructEvent(body, header, secret, 300, undefined, now * 1000))
    }
  }
})

it('the cases are valid and invalid ones of both schemes, with unique names', () => {
  for (const scheme of ['service', 'standard'] as const) {
    const own = vectors.filter((each) => each.scheme === scheme)
    assert.equal(new Set(own.map(({ name }) => name)).size, own.length)
    assert.ok(own.filter(({ valid }) => valid).length >= 7)
    assert.ok(own.filter(({ valid }) => !valid).length >= 14)
  }
})

onEveryWorld('a real delivery', (world) => {
  let receiver: Receiver
  before(async () => {
    receiver = await openReceiver()
  })
  after(() => receiver.close())

  it('passes with every installed sample, also during a secret rotation', async () => {
    const made = { url: receiver.url, event_types: ['workflow.workspace.created'] }
    const endpoint = await world.make('/v1/webhook_endpoints', made)
    const rotated = await world.make(`/v1/webhook_endpoints/${endpoint.id}/rotate_secret`)
    await world.make('/v1/workspaces', { title: 'Füße – 足 🦶' })
    await drainDeliveries(world.services)
    await receiver.received(1)
    const [delivery] = receiver.events
    const headers = delivery?.headers as Record<string, string>
    const body_base64 = Buffer.from(String(delivery?.body)).toString('base64')
    const now = Math.floor(world.clock.now() / 1000)
    const cases: Vector[] = [endpoint, rotated].flatMap(({ signing_secret: secret }) =>
      (['service', 'standard'] as const).map((scheme) => {
        return { name: 'real', scheme, valid: true, secret, now, headers, body_base64 }
      }),
    )
    for (const language of Object.values(languages)) {
      if (interpreter(language) === null) continue
      assert.deepEqual(judge(language, cases), [true, true, true, true], language.fence)
    }
  })
})

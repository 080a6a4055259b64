/** Webhooks: attempts come when they are due, not before, one at a time, signed with the sender's time. */
import { createHmac } from 'node:crypto'
import Stripe from 'stripe'
import { limits } from '../../server/src/api/limits.ts'
import { type Placeholder, query } from '../../server/src/db/query.ts'
import { drainDeliveries } from '../../server/src/workers/deliveries/deliveries.ts'
import { worker_limits } from '../../server/src/workers/limits.ts'
import { answer, openReceiver, type Received, type Receiver } from '../../server/test/receiver.ts'
import { day, hour, minute, type Scene, second } from './scene.ts'

/** Seconds between attempts (contract/11#schedule). */
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** The largest age of a signature that receivers accept, in seconds. */
const tolerance = 300

interface Hook {
  readonly id: string
  readonly secret: string
  readonly receiver: Receiver
}

const findPosition = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('webhook_positions').select('fanned_out_at').where('realm', '=', p('realm')),
)

const drain = ({ world }: Scene) => drainDeliveries(world.services)

/** Begins at a random moment, but not shortly before the last fan-out: a small step back leaves the order unchanged. */
async function begin(scene: Scene): Promise<void> {
  const { services, acme } = scene.world
  const position = await services.store.reader('system').first(findPosition, { realm: acme.realms.live })
  const last = position?.fanned_out_at ?? 0
  const start = scene.start()
  scene.at(start <= last && last - start <= limits.clocks_apart_ms ? last : start)
}

async function withHook(scene: Scene, use: (hook: Hook) => Promise<void>): Promise<void> {
  const receiver = await openReceiver()
  const body = { url: receiver.url, event_types: ['workflow.workspace.created'] }
  const { id, signing_secret: secret } = await scene.world.make('/v1/webhook_endpoints', body)
  try {
    await use({ id, secret, receiver })
  } finally {
    await scene.world.delete(`/v1/webhook_endpoints/${id}`)
    await receiver.close()
  }
}

export async function tryDeliveries(scene: Scene, attempts: number): Promise<void> {
  const { world, dice } = scene
  await begin(scene)
  await withHook(scene, async ({ id, secret, receiver }) => {
    receiver.respond = answer(500)
    await world.make('/v1/workspaces', { title: 'Reported' })
    const event = (await world.get('/v1/events?limit=1')).body.data[0].id
    const next = async (): Promise<number | null> => {
      const { deliveries } = (await world.get(`/v1/events/${event}`)).body
      const own = deliveries.find((row: { webhook_endpoint: string }) => row.webhook_endpoint === id)
      return own.next_attempt_at === null ? null : own.next_attempt_at * second
    }
    await drain(scene)
    for (let made = 1; made <= attempts; made++) {
      scene.expect(receiver.events.length, made, 'attempts made')
      if (receiver.events.length !== made) return
      trySignature(scene, receiver.events.at(-1) as Received, secret)
      const due = await next()
      const step = schedule[made - 1]
      if (step === undefined) return scene.expect(due, null, 'an attempt after the last')
      if (due === null) return scene.expect(due, step, 'the wait for the next attempt')
      const wait = (due - scene.now) / second
      const jitter = limits.webhook_jitter_percent / 100
      const isRight = wait > step * (1 - jitter) - 1 && wait <= step * (1 + jitter)
      scene.expect(isRight, true, `${wait} s for a scheduled wait of ${step} s right`)
      // Nothing is sent before it is due, nor after the clock went back.
      for (const moment of dice.shuffle([due - second, scene.now - hour, scene.now - day])) {
        scene.at(moment)
        await drain(scene)
        scene.expect(receiver.events.length, made, `attempts ${due - moment} ms before the next is due`)
      }
      scene.at(due + second + dice.pick([0, 0, minute, day]))
      await drain(scene)
    }
  })
}

/** The signature carries the sender's time, and a receiver accepts it only within its tolerance. */
function trySignature(scene: Scene, { body, headers, event }: Received, secret: string): void {
  const header = String(headers['service-signature'])
  const time = Math.floor(scene.now / second)
  scene.expect(header.startsWith(`t=${time},`), true, `${header.slice(0, 20)} of this second`)
  for (const late of [0, tolerance, tolerance + 1]) {
    scene.expect(isAccepted(body, header, secret, time + late), late <= tolerance, `accepted after ${late} s`)
  }
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = createHmac('sha256', key).update(`${event.id}.${time}.${body}`).digest('base64')
  scene.expect(String(headers['webhook-signature']).split(' ')[0], `v1,${signed}`, 'the standard signature')
}

function isAccepted(body: string, header: string, secret: string, receivedAt: number): boolean {
  try {
    Stripe.webhooks.constructEvent(body, header, secret, tolerance, undefined, receivedAt * second)
    return true
  } catch {
    return false
  }
}

/** The previous secret signs for exactly one more day. */
export async function tryOverlap(scene: Scene): Promise<void> {
  const { world } = scene
  await begin(scene)
  await withHook(scene, async ({ id, receiver }) => {
    await world.make(`/v1/webhook_endpoints/${id}/rotate_secret`)
    const rotated = scene.now
    for (const moment of scene.around(rotated + limits.secret_overlap_ms)) {
      scene.at(moment)
      await world.make('/v1/workspaces', { title: 'Reported' })
      const before = receiver.events.length
      // Deliveries are due by the latest time in the log.
      await drain(scene)
      const got = receiver.events.at(-1)
      if (got === undefined || receiver.events.length === before) continue
      const signatures = String(got.headers['service-signature']).split(',').length - 1
      const age = moment - rotated
      scene.expect(signatures, age < limits.secret_overlap_ms ? 2 : 1, `signatures ${age} ms after the rotation`)
    }
  })
}

const lose = query((db, p: Placeholder<{ until: number | null; realm: number; id: string }>) =>
  db
    .updateTable('webhook_endpoints')
    .set({ lease_owner: 'lost', lease_until: p('until') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** After a process with an endpoint's lease is lost, nothing is sent until the lease expires. */
export async function tryLostEndpoint(scene: Scene): Promise<void> {
  const { world } = scene
  await begin(scene)
  await withHook(scene, async ({ id, receiver }) => {
    await world.make('/v1/workspaces', { title: 'Reported' })
    const until = scene.now + worker_limits.webhook_lease_ms
    await world.services.store.write('system', async (tx) =>
      tx.write(lose, { realm: world.acme.realms.live, id, until }),
    )
    let isOver = false
    for (const moment of scene.around(until)) {
      scene.at(moment)
      await drain(scene)
      isOver ||= moment >= until
      const what = `deliveries ${moment - until} ms after the lease of a lost process`
      scene.expect(receiver.events.length, isOver ? 1 : 0, what)
    }
  })
}

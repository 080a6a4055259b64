/**
 * Many webhook endpoints, some of which are bad: they hang, refuse or drip. In a calm pass these behave too; in another they do
 * not. The healthy ones must not notice.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../bench/report.ts'
import type { Seeded } from '../../bench/seed-product.ts'
import { limits } from '../../server/src/lib/limits.ts'
import { call } from '../../server/test/call.ts'
import { type Ground, openGround } from './ground.ts'
import { bad_kinds, type Order } from './receivers.ts'
import type { Pass } from './streams.ts'

/** What an endpoint may cost, beside the one-off costs of the process and what attempts under way hold. */
const endpoint_bytes_max = 16 * 1024
const server_bytes = 128 * 2 ** 20

const bad_share = 0.05
const makers = 16
const rest_ms = 120_000
/** Waits between attempts: short, so that what failed in one pass is over before the next. */
const schedule_seconds = '5,5,10,10,10,10,10,10,10'

export interface WebhookPlan {
  readonly endpoints: number
  readonly pairs: number
  /** Events of each organization in a pass, and how far events are apart. */
  readonly events: number
  readonly apart_ms: number
  /** How long deliveries to healthy endpoints may take. */
  readonly arrival_ms: number
  readonly apart: boolean
}

class Receivers implements Disposable {
  private readonly child = fork(join(import.meta.dirname, 'receivers.ts'))

  get pid(): number | undefined {
    return this.child.pid
  }

  async tell<T>(order: Order): Promise<T> {
    this.child.send(order)
    return (await once(this.child, 'message'))[0]
  }

  /** The times from sending to each arrival, when all have arrived. */
  async counted(wait_ms: number): Promise<number[]> {
    return (await once(this.child, 'message', { signal: AbortSignal.timeout(wait_ms) }))[0]
  }

  [Symbol.dispose](): void {
    this.child.kill()
  }
}

export async function tryWebhooks(plan: WebhookPlan, violated: (text: string) => void, say: (text: string) => void) {
  const organizations = Math.ceil(plan.endpoints / limits.webhook_endpoints_max)
  await using ground = await openGround({
    ...{ organizations, tokens: 0, apart: plan.apart },
    environment: {
      ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
      ATRIUM_WEBHOOK_SCHEDULE_SECONDS: schedule_seconds,
    },
  })
  using receivers = new Receivers()
  const bad = await makeEndpoints(ground, receivers, plan)
  say(`${plan.endpoints} endpoints, ${bad} of them bad`)
  const before = ground.server.residentMib()
  ground.server.forgetPeak()
  const passes: Record<'calm' | 'bad', Pass[]> = { calm: [], bad: [] }
  for (let pair = 0; pair < plan.pairs; pair++) {
    for (const kind of ['calm', 'bad'] as const) {
      const pass = await tryPass(
        { plan, ground, receivers, healthy: plan.endpoints - bad, misbehave: kind === 'bad' },
        violated,
      )
      passes[kind].push(pass)
      say(
        `webhooks, ${kind}: median ${percentile(pass.times, 0.5).toFixed(0)} ms, others ${pass.others.toFixed(2)} cores`,
      )
    }
  }
  const grown = (ground.server.peakMib() - before) * 2 ** 20
  const each = Math.max(0, grown - server_bytes) / plan.endpoints
  if (each > endpoint_bytes_max) violated(`an endpoint cost ${Math.round(each)} bytes, more than ${endpoint_bytes_max}`)
  const bytes_an_endpoint = Math.round(Math.max(0, grown) / plan.endpoints)
  return { passes, figures: { endpoints: plan.endpoints, bad_endpoints: bad, bytes_an_endpoint } }
}

/** Makes endpoints, the same number in each organization, of which the first ones of each are bad. Returns how many are. */
async function makeEndpoints(
  { server, organizations }: Ground,
  receivers: Receivers,
  plan: WebhookPlan,
): Promise<number> {
  const [port, refusing] = await receivers.tell<[number, number]>({ do: 'listen' })
  await receivers.tell({ do: 'count', misbehave: false, expected: Number.POSITIVE_INFINITY })
  const size = Math.ceil(plan.endpoints / organizations.length)
  let made = 0
  let bad = 0
  const make = async (): Promise<void> => {
    while (made < plan.endpoints) {
      const i = made++
      const isBad = i % size < Math.ceil(size * bad_share)
      const kind = isBad ? (bad_kinds[bad++ % bad_kinds.length] ?? 'hang') : 'good'
      const url = `http://127.0.0.1:${kind === 'refuse' ? refusing : port}/${kind}/${i}`
      const { key } = organizations[Math.floor(i / size)] as Seeded
      const body = { url, event_types: ['workflow.task.created'] }
      const reply = await call(server.url, 'POST', '/v1/webhook_endpoints', { key, body })
      if (reply.status !== 200) throw new Error(reply.text)
    }
  }
  await Promise.all(Array.from({ length: makers }, make))
  return bad
}

interface Trying {
  readonly plan: WebhookPlan
  readonly ground: Ground
  readonly receivers: Receivers
  readonly healthy: number
  readonly misbehave: boolean
}

async function tryPass(
  { plan, ground, receivers, healthy, misbehave }: Trying,
  violated: (text: string) => void,
): Promise<Pass> {
  const expected = healthy * plan.events
  await receivers.tell({ do: 'count', misbehave, expected })
  const others = ground.watch([receivers.pid])
  const counted = receivers.counted(plan.arrival_ms).catch(() => null)
  for (let event = 0; event < plan.events; event++) {
    for (const organization of ground.organizations) {
      await Promise.all([ground.send(organization, { sent: microseconds() }), sleep(plan.apart_ms)])
    }
  }
  const times = await counted
  const busy = others()
  if (times === null) violated(`not all of ${expected} deliveries arrived at healthy endpoints`)
  // A bad endpoint costs an attempt's time at most, and a healthy one must not wait for even one of those.
  const slowest = Math.max(0, ...(times ?? []))
  if (misbehave && slowest >= limits.webhook_attempt_ms) {
    violated(`a healthy endpoint waited ${Math.round(slowest)} ms for its event, as long as a bad one is borne`)
  }
  await receivers.tell({ do: 'count', misbehave: false, expected: Number.POSITIVE_INFINITY })
  await untilRest(ground.file)
  return { times: times ?? [], grown_bytes: 0, others: busy }
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Waits until what failed has been sent again. */
async function untilRest(file: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  const waiting = database.prepare('select count(*) as count from webhook_deliveries where next_attempt_at is not null')
  const until = performance.now() + rest_ms
  while (Number(waiting.get()?.count) > 0) {
    if (performance.now() > until) throw new Error('deliveries are left over')
    await sleep(500)
  }
  database.close()
}

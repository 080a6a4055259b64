/**
 * Many webhook endpoints, some of them bad: they hang, refuse or drip. In a calm pass these behave as well. The healthy ones must
 * not notice.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../bench/report.ts'
import type { Seeded } from '../../bench/seed-product.ts'
import { limits } from '../../server/src/api/limits.ts'
import { call } from '../../server/test/call.ts'
import { type Ground, openGround } from './ground.ts'
import { bad_kinds, type Order } from './receivers.ts'
import type { Pass } from './streams.ts'

/** Memory per endpoint, besides one-off costs of the process and attempts in flight. */
const endpoint_bytes_max = 16 * 1024
const server_bytes = 128 * 2 ** 20

const bad_share = 0.05
const makers = 16
const rest_ms = 120_000
/** Short waits between attempts, so that retries of one pass end before the next. */
const schedule_seconds = '5,5,10,10,10,10,10,10,10'

export interface WebhookPlan {
  readonly endpoints: number
  readonly pairs: number
  /** Events per organization and pass, and the time between them. */
  readonly events: number
  readonly apart_ms: number
  /** The time limit for deliveries to healthy endpoints. */
  readonly arrival_ms: number
  readonly apart: boolean
}

class Receivers implements Disposable {
  private readonly child = fork(join(import.meta.dirname, 'receivers.ts'))

  get pid(): number | undefined {
    return this.child.pid
  }

  async send<T>(order: Order): Promise<T> {
    this.child.send(order)
    return (await once(this.child, 'message'))[0]
  }

  /** Resolves with the time from sending to each arrival, once all have arrived. */
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

/** Creates endpoints, evenly over the organizations; the first of each are bad. Returns how many are bad. */
async function makeEndpoints(
  { server, organizations }: Ground,
  receivers: Receivers,
  plan: WebhookPlan,
): Promise<number> {
  const [port, refusing] = await receivers.send<[number, number]>({ do: 'listen' })
  await receivers.send({ do: 'count', misbehave: false, expected: Number.POSITIVE_INFINITY })
  const size = Math.ceil(plan.endpoints / organizations.length)
  let created = 0
  let bad = 0
  const make = async (): Promise<void> => {
    while (created < plan.endpoints) {
      const i = created++
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
  await receivers.send({ do: 'count', misbehave, expected })
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
  // A bad endpoint costs one attempt's timeout at most; a healthy one must not wait even for that.
  const slowest = Math.max(0, ...(times ?? []))
  if (misbehave && slowest >= limits.webhook_attempt_ms) {
    violated(`a healthy endpoint waited ${Math.round(slowest)} ms for its event, as long as the timeout of a bad one`)
  }
  await receivers.send({ do: 'count', misbehave: false, expected: Number.POSITIVE_INFINITY })
  await untilRest(ground.file)
  return { times: times ?? [], grown_bytes: 0, others: busy }
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Waits until failed deliveries have been sent again. */
async function untilRest(file: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  const waiting = database.prepare('select count(*) as count from webhook_deliveries where next_attempt_at is not null')
  const until = performance.now() + rest_ms
  while (Number(waiting.get()?.count) > 0) {
    if (performance.now() > until) throw new Error('deliveries are still pending')
    await sleep(500)
  }
  database.close()
}

/**
 * Whether failing webhook endpoints delay healthy ones. Many endpoints receive the same events twice: first all are
 * healthy, then some hang, answer 500 or send an endless body slowly. The figure compares the time from sending a write
 * to the arrival of its event at the healthy ones: `npm run bench:webhooks`.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import { percentile } from './report.ts'
import type { Seeded } from './seed-product.ts'
import type { Stage } from './stage.ts'

/** An organization may have 500 endpoints, so four organizations share the load. */
const organizations = 4
const bad_kinds = ['hang', 'fail', 'drip'] as const
const makers = 16
const wait_ms = 300_000

interface Arrivals {
  readonly times: number[]
  expected: number
  done: () => void
}

/** Answers healthy paths at once and bad ones badly; counts arrivals at healthy ones once `arrivals` is set. */
function receiver() {
  let arrivals: Arrivals | null = null
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const verification = request.headers['service-event-type'] === 'platform.webhook_endpoint.verify'
      const kind = request.url?.split('/')[1] ?? ''
      if (verification || !misbehave(kind, response)) response.writeHead(204).end()
      if (verification || kind !== 'good' || arrivals === null) return
      const sent = Number(JSON.parse(Buffer.concat(chunks).toString()).data.object.custom_fields.sent)
      arrivals.times.push(Date.now() - sent)
      if (arrivals.times.length === arrivals.expected) arrivals.done()
    })
  })
  return {
    server,
    count: (expected: number) =>
      new Promise<number[]>((resolve, reject) => {
        const times: number[] = []
        const late = setTimeout(() => reject(new Error(`${times.length} of ${expected} deliveries arrived`)), wait_ms)
        const done = () => {
          clearTimeout(late)
          resolve(times)
        }
        arrivals = { times, expected, done }
      }),
  }
}

/** True if the path is bad, and its answer handled here. */
function misbehave(kind: string, response: ServerResponse): boolean {
  if (kind === 'hang') return true
  if (kind === 'fail') response.writeHead(500).end()
  else if (kind === 'drip') {
    response.writeHead(200)
    const drip = setInterval(() => response.write('.'), 200)
    response.on('close', () => clearInterval(drip))
  } else return false
  return true
}

interface Plan {
  readonly endpoints: number
  readonly bad: number
  readonly events: number
}

/** Creates endpoints; the first ones are bad, alternating between three kinds. */
async function makeEndpoints(url: string, base: string, keys: readonly string[], plan: Plan): Promise<void> {
  let made = 0
  const make = async () => {
    while (made < plan.endpoints) {
      const i = made++
      const kind = i < plan.bad ? bad_kinds[i % bad_kinds.length] : 'good'
      const body = { url: `${base}/${kind}/${i}`, event_types: ['workflow.task.created'] }
      const reply = await call(url, 'POST', '/v1/webhook_endpoints', { key: keys[i % organizations] as string, body })
      if (reply.status !== 200) throw new Error(reply.text)
    }
  }
  await Promise.all(Array.from({ length: makers }, make))
}

async function makeEvents(url: string, seeded: readonly Seeded[], events: number): Promise<void> {
  for (let n = 0; n < events; n++) {
    const sent = seeded.map(({ key, frame }) => {
      const body = { workspace: frame.workspace, title: `Task ${n}`, custom_fields: { sent: Date.now() } }
      return call(url, 'POST', '/v1/tasks', { key, body })
    })
    for (const reply of await Promise.all(sent)) if (reply.status !== 200) throw new Error(reply.text)
  }
}

/** One run: the milliseconds from sending to arrival at the healthy endpoints. */
async function arrivalsOf(stage: Stage, name: string, plan: Plan): Promise<number[]> {
  const url = await stage.newDatabase(name)
  const seeded: Seeded[] = []
  for (let n = 0; n < organizations; n++) seeded.push(await stage.product.seed(url, { tasks: 0 }))
  const server = await stage.start(url, { environment: { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' } })
  const received = receiver()
  try {
    await new Promise<void>((resolve) => received.server.listen(0, '127.0.0.1', 4096, resolve))
    const base = `http://127.0.0.1:${(received.server.address() as AddressInfo).port}`
    const keys = seeded.map(({ key }) => key)
    await makeEndpoints(server.url, base, keys, plan)
    say(`${name}: ${plan.endpoints} endpoints, ${plan.bad} of them bad`)
    return await stage.measured(async () => {
      const arrived = received.count((plan.endpoints - plan.bad) * plan.events)
      await makeEvents(server.url, seeded, plan.events)
      return await arrived
    })
  } finally {
    await stage.stop(server)
    received.server.close()
    received.server.closeAllConnections()
  }
}

await benchmark({
  name: 'webhooks',
  does: 'Whether endpoints that hang, fail or drip delay deliveries to healthy ones.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    endpoints: { full: 2000, quick: 80, means: 'endpoints, spread over four organizations' },
    bad: { full: 60, quick: 6, means: 'bad ones in the second run' },
    events: { full: 10, quick: 3, means: 'events per organization' },
  },
  async run(stage, { endpoints, bad, events }) {
    if (bad >= endpoints) throw new Error('--bad must be less than --endpoints.')
    const healthy = await arrivalsOf(stage, 'healthy', { endpoints, bad: 0, events })
    const mixed = await arrivalsOf(stage, 'mixed', { endpoints, bad, events })
    const ms = (name: string, times: readonly number[], share: number) => ({
      name: `${name}, p${share * 100} of ${times.length}`,
      value: percentile(times, share),
      unit: 'ms',
    })
    return [
      ms('all healthy', healthy, 0.5),
      ms('all healthy', healthy, 0.99),
      ms('healthy beside bad', mixed, 0.5),
      ms('healthy beside bad', mixed, 0.99),
      { name: 'p99 beside bad', value: percentile(mixed, 0.99) / percentile(healthy, 0.99), unit: 'times alone' },
    ]
  },
})

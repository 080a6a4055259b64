/**
 * Signed deliveries per second to a receiver on this machine. Tasks are created in batches, every endpoint gets every event, and
 * time runs from the first arrival to the last: `npm run bench:deliveries`.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { limits } from '../server/src/api/limits.ts'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import type { Seeded } from './seed-product.ts'
import type { ServerProcess } from './server-process.ts'

const goal_per_second = 2000
/** Verifying a signature is the receiver's largest cost. It shares its core with nothing under test. */
const checked_one_in = 20
const wait_ms = 300_000

/** Receives deliveries, answers 204 and verifies some signatures. */
class Receiver {
  readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      response.writeHead(204).end()
      if (request.headers['service-event-type'] === 'platform.webhook_endpoint.verify') return
      this.take(request.url ?? '', request.headers as Record<string, string>, chunks)
    })
  })
  readonly secrets = new Map<string, string>()
  first = 0
  last = 0
  repeated = 0
  checked = 0
  private readonly seen = new Set<string>()
  private failure: Error | null = null

  private take(path: string, headers: Record<string, string>, chunks: readonly Buffer[]): void {
    const now = performance.now()
    if (this.seen.size === 0) this.first = now
    this.last = now
    const delivery = headers['service-delivery'] ?? ''
    if (this.seen.has(delivery)) this.repeated++
    this.seen.add(delivery)
    if (this.seen.size % checked_one_in !== 0) return
    try {
      new Webhook(this.secrets.get(path) ?? '').verify(Buffer.concat(chunks), headers)
      this.checked++
    } catch (error) {
      this.failure = error as Error
    }
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', 4096, resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async received(count: number): Promise<void> {
    const until = performance.now() + wait_ms
    while (this.seen.size < count) {
      if (this.failure !== null) throw this.failure
      if (performance.now() > until) throw new Error(`${this.seen.size} of ${count} deliveries arrived`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

async function makeEndpoints(server: ServerProcess, key: string, receiver: Receiver, count: number): Promise<void> {
  const base = await receiver.listen()
  for (let i = 0; i < count; i++) {
    const body = { url: `${base}/${i}`, event_types: ['workflow.task.created'] }
    const reply = await call(server.url, 'POST', '/v1/webhook_endpoints', { key, body })
    if (reply.status !== 200) throw new Error(reply.text)
    receiver.secrets.set(`/${i}`, reply.body.signing_secret)
  }
}

async function makeEvents(server: ServerProcess, { key, frame }: Seeded, count: number): Promise<void> {
  for (let made = 0; made < count; made += limits.batch_tasks_max) {
    const data = Array.from({ length: Math.min(limits.batch_tasks_max, count - made) }, () => ({ title: 'A task' }))
    const body = { workspace: frame.workspace, data }
    const reply = await call(server.url, 'POST', '/v1/tasks/batch', { key, body })
    if (reply.status !== 200) throw new Error(reply.text)
  }
}

await benchmark({
  name: 'deliveries',
  does: 'Signed webhook deliveries per second to a receiver on this machine.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    endpoints: { full: 50, quick: 20, means: 'endpoints, each of which gets every event' },
    events: { full: 1000, quick: 100, means: 'events' },
  },
  async run(stage, { endpoints, events }) {
    const url = await stage.newDatabase('deliveries')
    const seeded = await stage.product.seed(url, { tasks: 100 })
    const server = await stage.start(url, { environment: { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' } })
    const receiver = new Receiver()
    try {
      await makeEndpoints(server, seeded.key, receiver, endpoints)
      say(`${endpoints} endpoints created`)
      const count = endpoints * events
      const cpu = server.cpuMicros()
      await stage.measured(async () => {
        await makeEvents(server, seeded, events)
        await receiver.received(count)
      })
      const cpu_us = (server.cpuMicros() - cpu) / count
      const seconds = (receiver.last - receiver.first) / 1000
      return [
        {
          name: 'deliveries',
          value: count / seconds,
          unit: 'per second',
          goal: { at_least: goal_per_second },
          note: `${count} in ${seconds.toFixed(2)} s, ${receiver.checked} signatures verified, ${receiver.repeated} repeated`,
        },
        { name: 'CPU time', value: cpu_us, unit: 'µs/delivery' },
      ]
    } finally {
      receiver.close()
    }
  },
})

/**
 * Do dead webhook endpoints delay healthy ones? 2,000 endpoints receive the same events twice: once all of them healthy,
 * once 20 of them hanging, 20 answering 500 and 20 dripping an endless body. Compared is the time from an event's commit
 * to its arrival at the healthy ones: `npm run bench:webhooks`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { call } from '../server/test/call.ts'
import { install, makeWorkspace } from '../server/test/durability/installation.ts'

/** An organization may have 500 endpoints: four share the load. */
const organizations = 4
const endpoints_each = 500
const endpoints = organizations * endpoints_each
const bad_kinds = ['hang', 'fail', 'drip'] as const
const bad_of_each = 20
const events = 10

interface Arrivals {
  readonly times: number[]
  expected: number
  done: () => void
}

/** Answers healthy paths at once and bad ones badly; counts what healthy ones get once `arrivals` is set. */
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
      new Promise<number[]>((resolve) => {
        const times: number[] = []
        arrivals = { times, expected, done: () => resolve(times) }
      }),
  }
}

/** True when the answer is left to misbehaviour. */
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

async function serve(
  environment: Readonly<Record<string, string>>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const child = spawn(join(import.meta.dirname, '../bin/atrium'), ['serve'], {
    env: { ...process.env, ...environment, ATRIUM_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      const said = JSON.parse(line)
      if (said.msg === 'listening') resolve(said.url)
    })
  })
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** One run; the milliseconds from commit to arrival at the healthy endpoints. */
async function measure(bad: boolean): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  const received = receiver()
  await new Promise<void>((resolve) => received.server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(received.server.address() as AddressInfo).port}`
  const more = { ATRIUM_WORKERS: 'true', ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' }
  const installations = []
  for (let n = 0; n < organizations; n++) {
    installations.push(await install(`file:${join(folder, 'atrium.db')}`, folder, more))
  }
  const keys = installations.map((installation) => installation.key)
  const server = await serve({ ...installations[0]?.environment, ...more })
  try {
    let made = 0
    const make = async () => {
      while (made < endpoints) {
        const i = made++
        const kind = bad && i < bad_kinds.length * bad_of_each ? bad_kinds[i % bad_kinds.length] : 'good'
        const body = { url: `${base}/${kind}/${i}`, event_types: ['workflow.task.created'] }
        const key = keys[i % organizations] as string
        const reply = await call(server.url, 'POST', '/v1/webhook_endpoints', { key, body })
        if (reply.status !== 200) throw new Error(reply.text)
      }
    }
    await Promise.all(Array.from({ length: 16 }, make))
    const workspaces = await Promise.all(keys.map((key) => makeWorkspace(server.url, key)))
    const good = endpoints - (bad ? bad_kinds.length * bad_of_each : 0)
    const arrived = received.count(good * events)
    for (let n = 0; n < events; n++) {
      const sent = keys.map((key, i) => {
        const body = { workspace: workspaces[i], title: `Task ${n}`, custom_fields: { sent: Date.now() } }
        return call(server.url, 'POST', '/v1/tasks', { key, body })
      })
      await Promise.all(sent)
    }
    return await arrived
  } finally {
    await server.stop()
    received.server.closeAllConnections()
    received.server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function percentile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] as number
}

const healthy = await measure(false)
const mixed = await measure(true)
const row = (name: string, times: readonly number[]) =>
  `${name.padEnd(28)} ${String(times.length).padStart(6)} deliveries   p50 ${percentile(times, 0.5)} ms   p99 ${percentile(times, 0.99)} ms\n`
process.stdout.write(row('all healthy', healthy))
process.stdout.write(row('20 hang, 20 fail, 20 drip', mixed))
process.stdout.write(
  `p99 of the healthy ones, with bad neighbours : without = ${(percentile(mixed, 0.99) / percentile(healthy, 0.99)).toFixed(2)}\n`,
)
process.exit()

/**
 * Many streams, half of them of a second process. In a calm pass all are read; in the other passes the second process stops
 * reading. The first half must not notice, and stalled streams must be closed before they cost much memory.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../bench/report.ts'
import { StreamClients, sent_field, sentNow } from '../../bench/stream-clients.ts'
import { limits } from '../../server/src/api/limits.ts'
import type { Order } from './bystanders.ts'
import { type Ground, openGround } from './ground.ts'

/** Memory per stream that is read, besides one-off costs of the process. */
const read_stream_bytes_max = 96 * 1024
/** Memory per stalled stream: the buffer limit, and as much again for overhead. */
const stalled_stream_bytes_max = 2 * limits.stream_behind_bytes_max
/** One-off growth of the server, not charged to a few streams. */
const warming_bytes = 96 * 2 ** 20
const server_bytes = 32 * 2 ** 20

const arrival_ms = 20_000

export interface StreamPlan {
  readonly streams: number
  readonly pairs: number
  readonly events: number
  /** 0: the next event is sent when the last one has arrived. */
  readonly events_a_second: number
  /** Makes events large. */
  readonly description_chars: number
  /** Stalled streams must be closed this long after all others have everything. */
  readonly cut_ms: number
  readonly apart: boolean
}

export interface Pass {
  readonly times: readonly number[]
  /** Peak growth of resident memory. */
  readonly grown_bytes: number
  readonly others: number
}

class Bystanders implements Disposable {
  private readonly child = fork(join(import.meta.dirname, 'bystanders.ts'))

  get pid(): number | undefined {
    return this.child.pid
  }

  async send(order: Order): Promise<ReadonlySet<number>> {
    this.child.send(order)
    const [ports] = await once(this.child, 'message')
    return new Set(ports)
  }

  [Symbol.dispose](): void {
    this.child.kill()
  }
}

export async function tryStreams(plan: StreamPlan, violated: (text: string) => void, say: (text: string) => void) {
  const tokens = Math.ceil(plan.streams / limits.streams_max)
  await using ground = await openGround({ organizations: 1, tokens, apart: plan.apart })
  using bystanders = new Bystanders()
  const passes: Record<'calm' | 'stalled', Pass[]> = { calm: [], stalled: [] }
  for (let pair = 0; pair < plan.pairs; pair++) {
    for (const kind of ['calm', 'stalled'] as const) {
      const pass = await tryPass({ plan, ground, bystanders, reads: kind === 'calm' }, violated)
      passes[kind].push(pass)
      say(
        `streams, ${kind}: median ${percentile(pass.times, 0.5).toFixed(1)} ms, others ${pass.others.toFixed(2)} cores`,
      )
    }
  }
  const half = plan.streams / 2
  const most = (of: readonly Pass[]) => Math.max(...of.map(({ grown_bytes }) => grown_bytes))
  const read = (most(passes.calm) - warming_bytes) / plan.streams
  const stalled = (most(passes.stalled) - server_bytes) / half
  judgeMemory('a read stream', read, read_stream_bytes_max, violated)
  judgeMemory('a stalled stream', stalled, stalled_stream_bytes_max, violated)
  const kib = (bytes: number, of: number) => Math.round(bytes / of / 1024)
  return {
    passes,
    figures: {
      streams: plan.streams,
      kib_a_read_stream: kib(most(passes.calm), plan.streams),
      kib_a_stalled_stream: kib(most(passes.stalled), half),
    },
  }
}

function judgeMemory(what: string, bytes: number, bytes_max: number, violated: (text: string) => void): void {
  const kib = (of: number) => Math.round(of / 1024)
  if (bytes > bytes_max) violated(`${what} cost ${kib(bytes)} KiB, more than ${kib(bytes_max)}`)
}

interface Trying {
  readonly plan: StreamPlan
  readonly ground: Ground
  readonly bystanders: Bystanders
  readonly reads: boolean
}

async function tryPass({ plan, ground, bystanders, reads }: Trying, violated: (text: string) => void): Promise<Pass> {
  const { server } = ground
  const [organization] = ground.organizations
  if (organization === undefined) throw new Error('there is no organization')
  const before = server.residentMib()
  server.forgetPeak()
  const half = plan.streams / 2
  const tokens = Array.from(
    { length: plan.streams },
    (_, i) => organization.tokens[Math.floor(i / limits.streams_max)] ?? '',
  )
  const ports = await bystanders.send({ do: 'open', url: server.url, tokens: tokens.slice(half), reads })
  const readers = new StreamClients()
  for (const token of tokens.slice(0, half)) await readers.open(server.url, token)
  const others = ground.watch([bystanders.pid])
  const description = 'x'.repeat(plan.description_chars)
  const send = () => ground.send(organization, { [sent_field]: sentNow() }, description)
  const arrived = (events: number) => readers.arrived(events * half, arrival_ms)
  await (plan.events_a_second === 0 ? sendInTurn(plan, send, arrived) : sendAtRate(plan, send))
    .then(() => arrived(plan.events))
    .catch((error: Error) => violated(`read streams: ${error.message}`))
  const busy = others()
  if (!reads) {
    const left = await untilLeft(server.url, ports, plan.cut_ms)
    if (left > 0) violated(`${left} stalled streams are still open`)
  }
  const grown_bytes = (server.peakMib() - before) * 2 ** 20
  readers.close()
  await bystanders.send({ do: 'close' })
  await untilLeft(server.url, ports, plan.cut_ms)
  return { times: readers.times, grown_bytes, others: busy }
}

async function sendInTurn(
  { events }: StreamPlan,
  send: () => Promise<void>,
  arrived: (events: number) => Promise<void>,
): Promise<void> {
  for (let event = 1; event <= events; event++) {
    await send()
    await arrived(event)
  }
}

async function sendAtRate({ events, events_a_second }: StreamPlan, send: () => Promise<void>): Promise<void> {
  const from = performance.now()
  const sent: Promise<void>[] = []
  for (let i = 0; i < events; i++) {
    await sleep(Math.max(0, from + (i * 1000) / events_a_second - performance.now()))
    sent.push(send())
  }
  await Promise.all(sent)
}

/** Waits until none of these ports is connected to the server. Returns how many still are after `wait_ms`. */
async function untilLeft(url: string, ports: ReadonlySet<number>, wait_ms: number): Promise<number> {
  const until = performance.now() + wait_ms
  for (;;) {
    const left = connections(Number(new URL(url).port), ports)
    if (left === 0 || performance.now() > until) return left
    await sleep(200)
  }
}

/** The server's connections with these ports, from the kernel. */
function connections(port: number, others: ReadonlySet<number>): number {
  const portOf = (address = '') => Number.parseInt(address.split(':')[1] ?? '', 16)
  const lines = readFileSync('/proc/self/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => {
    const [, local, remote, state] = line.trim().split(/\s+/)
    return portOf(local) === port && others.has(portOf(remote)) && state === '01'
  }).length
}

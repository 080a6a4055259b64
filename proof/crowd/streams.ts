/**
 * Many streams, half of them of a process that stands by. In a calm pass all are read; in another that process takes no
 * byte. The other half must not notice, and who does not read must be cut off before it has cost much memory.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../../bench/report.ts'
import { StreamClients, sent_field, sentNow } from '../../bench/stream-clients.ts'
import { limits } from '../../server/src/lib/limits.ts'
import type { Order } from './bystanders.ts'
import { type Ground, openGround } from './ground.ts'

/** What a stream that is read may cost, beside the one-off costs of the process. */
const read_stream_bytes_max = 96 * 1024
/** What one may cost that is not read: what the product lets wait for it, and as much again for how that is held. */
const stalled_stream_bytes_max = 2 * limits.stream_behind_bytes_max
/** What the server grows by whoever is there, first and later: a few streams are not to be charged with it. */
const warming_bytes = 96 * 2 ** 20
const server_bytes = 32 * 2 ** 20

const arrival_ms = 20_000

export interface StreamPlan {
  readonly streams: number
  readonly pairs: number
  readonly events: number
  /** Zero: the next is sent when the last one has arrived. */
  readonly events_a_second: number
  /** What makes an event large. */
  readonly description_chars: number
  /** How long streams that nobody reads may be open when all others have everything. */
  readonly cut_ms: number
  readonly apart: boolean
}

export interface Pass {
  readonly times: readonly number[]
  /** The most that was resident meanwhile, beyond what was before. */
  readonly grown_bytes: number
  readonly others: number
}

class Bystanders implements Disposable {
  private readonly child = fork(join(import.meta.dirname, 'bystanders.ts'))

  get pid(): number | undefined {
    return this.child.pid
  }

  async tell(order: Order): Promise<ReadonlySet<number>> {
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
  judgeMemory('a stream that is read', read, read_stream_bytes_max, violated)
  judgeMemory('a stream that is not read', stalled, stalled_stream_bytes_max, violated)
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
  const ports = await bystanders.tell({ do: 'open', url: server.url, tokens: tokens.slice(half), reads })
  const readers = new StreamClients()
  for (const token of tokens.slice(0, half)) await readers.open(server.url, token)
  const others = ground.watch([bystanders.pid])
  const description = 'x'.repeat(plan.description_chars)
  const send = () => ground.send(organization, { [sent_field]: sentNow() }, description)
  const arrived = (events: number) => readers.arrived(events * half, arrival_ms)
  await (plan.events_a_second === 0 ? sendInTurn(plan, send, arrived) : sendAtRate(plan, send))
    .then(() => arrived(plan.events))
    .catch((error: Error) => violated(`streams that are read: ${error.message}`))
  const busy = others()
  if (!reads) {
    const left = await untilLeft(server.url, ports, plan.cut_ms)
    if (left > 0) violated(`${left} streams that nobody reads are still open`)
  }
  const grown_bytes = (server.peakMib() - before) * 2 ** 20
  readers.close()
  await bystanders.tell({ do: 'close' })
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

/** Waits until none of these is connected to the server any more, but not for ever. Returns how many are. */
async function untilLeft(url: string, ports: ReadonlySet<number>, wait_ms: number): Promise<number> {
  const until = performance.now() + wait_ms
  for (;;) {
    const left = connections(Number(new URL(url).port), ports)
    if (left === 0 || performance.now() > until) return left
    await sleep(200)
  }
}

/** Connections between a server of this machine's and ports of others', as its kernel has them. */
function connections(port: number, others: ReadonlySet<number>): number {
  const portOf = (address = '') => Number.parseInt(address.split(':')[1] ?? '', 16)
  const lines = readFileSync('/proc/self/net/tcp', 'utf8').split('\n')
  return lines.filter((line) => {
    const [, local, remote, state] = line.trim().split(/\s+/)
    return portOf(local) === port && others.has(portOf(remote)) && state === '01'
  }).length
}

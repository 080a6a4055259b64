/**
 * Time from sending a request that creates a task to the arrival of its event at each of many streams; it includes the write:
 * `npm run bench:stream`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '../server/src/api/limits.ts'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import { percentile } from './report.ts'
import { StreamClients, sent_field, sentNow } from './stream-clients.ts'

const goal_ms = 50
const warm_events = 20
const wait_ms = 60_000

await benchmark({
  name: 'stream',
  does: 'Milliseconds from a write to the arrival of its event at every stream.',
  engines: ['sqlite', 'postgres'],
  sizes: {
    streams: { full: 1000, quick: 100, means: 'open streams, five per credential' },
    events: { full: 300, quick: 30, means: 'events' },
    rate: { full: 5, quick: 5, means: 'events per second, each to every stream' },
  },
  async run(stage, { streams, events, rate }) {
    const url = await stage.newDatabase('stream')
    const tokens = Math.ceil(streams / limits.streams_max)
    const seeded = await stage.product.seed(url, { tasks: 100, tokens })
    await stage.settle(url)
    const server = await stage.start(url)
    const clients = new StreamClients()
    const before = server.residentMib()
    for (let i = 0; i < streams; i++) await clients.open(server.url, seeded.tokens[i % tokens] as string)
    say(`${streams} streams are open`)
    const send = async () => {
      const body = { workspace: seeded.frame.workspace, title: 'A task', custom_fields: { [sent_field]: sentNow() } }
      const reply = await call(server.url, 'POST', '/v1/tasks', { key: seeded.key, body })
      if (reply.status !== 200) throw new Error(reply.text)
    }
    const sendAll = async (count: number) => {
      clients.times.length = 0
      const from = performance.now()
      const sent: Promise<void>[] = []
      for (let i = 0; i < count; i++) {
        await sleep(Math.max(0, from + (i * 1000) / rate - performance.now()))
        sent.push(send())
      }
      await Promise.all(sent)
      await clients.arrived(count * streams, wait_ms)
    }
    await sendAll(warm_events)
    const cpu = server.cpuMicros()
    await stage.measured(() => sendAll(events))
    const frames = events * streams
    const cpu_us = (server.cpuMicros() - cpu) / frames
    const memory_mib = server.residentMib() - before
    clients.close()
    const at = (share: number) => percentile(clients.times, share)
    return [
      { name: `event to stream, p50 of ${frames}`, value: at(0.5), unit: 'ms' },
      { name: 'event to stream, p99', value: at(0.99), unit: 'ms', goal: { at_most: goal_ms } },
      { name: 'slowest', value: at(1), unit: 'ms' },
      {
        name: 'CPU time',
        value: cpu_us,
        unit: 'µs/frame',
        note: `${Math.round(1e6 / cpu_us)} frames per second saturate a core`,
      },
      { name: 'memory', value: (memory_mib / streams) * 1024, unit: 'KiB/stream', steady: true },
    ]
  },
})

/**
 * Speed and memory of an export of all tasks, from the first time the job is seen running to its completion; then the download
 * with its hash checked: `npm run bench:export`.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../server/test/call.ts'
import { benchmark, say } from './command.ts'
import type { ServerProcess } from './server-process.ts'

const goal_per_second = 50_000
const extra_mib_max = 100
const poll_ms = 10

interface Job {
  readonly id: string
  readonly status: string
  readonly row_count: number
  readonly size_bytes: number
  readonly sha256: string
  readonly download_url: string
  readonly error: string | null
}

/** Exports everything. `seconds` counts from the first time the job is seen running. */
async function exportAll(server: ServerProcess, key: string): Promise<{ job: Job; seconds: number }> {
  const queued = await call(server.url, 'POST', '/v1/exports', { key, body: { resource: 'tasks' } })
  if (queued.status !== 200) throw new Error(queued.text)
  let began: number | null = null
  for (;;) {
    const job = (await call(server.url, 'GET', `/v1/jobs/${queued.body.id}`, { key })).body as Job
    if (job.status === 'failed') throw new Error(`the export failed: ${job.error}`)
    if (job.status !== 'queued') began ??= performance.now()
    if (job.status === 'completed') return { job, seconds: (performance.now() - (began ?? 0)) / 1000 }
    await sleep(poll_ms)
  }
}

/** Downloads the file as a client does and compares it with its job. */
async function download(job: Job): Promise<number> {
  const from = performance.now()
  const answer = await fetch(job.download_url, { headers: { 'Accept-Encoding': 'identity' } })
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (answer.status !== 200 || bytes !== job.size_bytes || hash.digest('hex') !== job.sha256) {
    throw new Error(`the download differs from its job: ${answer.status}, ${bytes} of ${job.size_bytes} bytes`)
  }
  return (performance.now() - from) / 1000
}

/** The server's peak memory above its start, in MiB, and the job's result. */
async function memoryOf<T>(server: ServerProcess, job: () => Promise<T>): Promise<{ extra_mib: number; result: T }> {
  const before = server.residentMib()
  server.forgetPeak()
  const result = await job()
  return { extra_mib: server.peakMib() - before, result }
}

await benchmark({
  name: 'export',
  does: 'Rows per second of an export, and the memory it takes.',
  engines: ['sqlite', 'postgres'],
  sizes: { tasks: { full: 1_000_000, quick: 20_000, means: 'tasks to export' } },
  async run(stage, { tasks }) {
    say(`seeding ${tasks} tasks`)
    const url = await stage.newDatabase('export')
    const { key, ids } = await stage.product.seed(url, { tasks })
    await stage.settle(url)
    const server = await stage.start(url)
    for (const id of ids.slice(0, 1000)) await call(server.url, 'GET', `/v1/tasks/${id}`, { key })
    const written = await stage.measured(() => memoryOf(server, () => exportAll(server, key)))
    const { job, seconds } = written.result
    if (job.row_count !== tasks) throw new Error(`${job.row_count} rows of ${tasks} were exported`)
    const read = await stage.measured(() => memoryOf(server, () => download(job)))
    return [
      {
        name: 'export',
        value: tasks / seconds,
        unit: 'tasks/s',
        goal: { at_least: goal_per_second },
        note: `${seconds.toFixed(2)} s, ${(job.size_bytes / 2 ** 20).toFixed(0)} MiB`,
      },
      {
        name: 'extra memory, writing',
        value: written.extra_mib,
        unit: 'MiB',
        goal: { at_most: extra_mib_max },
        steady: true,
      },
      { name: 'download', value: tasks / read.result, unit: 'tasks/s' },
      {
        name: 'extra memory, download',
        value: read.extra_mib,
        unit: 'MiB',
        goal: { at_most: extra_mib_max },
        steady: true,
      },
    ]
  },
})

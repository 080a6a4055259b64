/**
 * `GET /metrics`: what this process and its workers do, as Prometheus text. Figures speak of all organizations, so only
 * the machine itself may ask; what a proxy passes on comes from elsewhere. Scraping never fails for the database's sake.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../api/services.ts'
import { query } from '../db/query.ts'

type Delay = ReturnType<typeof monitorEventLoopDelay>
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

const workerRows = query((db) =>
  db.selectFrom('workers').select(['name', 'last_started_at', 'last_ended_at', 'last_failed']).orderBy('name'),
)

type Refuse = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * `refuse` answers who may not ask, as if there were nothing at this path. Returns what counts an answer that Fastify has
 * not seen, by its status.
 */
export function metrics(app: FastifyInstance, services: Services, refuse: Refuse): (status: number) => void {
  const answers = new Map<number, number>()
  const count = (status: number): void => void answers.set(status, (answers.get(status) ?? 0) + 1)
  // Measuring costs a timer: it begins with the first who asks.
  let delay: Delay | null = null
  app.addHook('onResponse', (_request, reply, done) => {
    count(reply.statusCode)
    done()
  })
  app.addHook('onClose', (_app, done) => {
    delay?.disable()
    done()
  })
  app.get('/metrics', async (request, reply) => {
    if (!isLocal(request)) return refuse(request, reply)
    const parts = [ofProcess(), ofAnswers(answers), ofStore(services), await ofWorkers(services), ofDelay(delay)]
    if (delay === null) {
      delay = monitorEventLoopDelay({ resolution: 20 })
      delay.enable()
    } else delay.reset()
    return reply
      .header('Cache-Control', 'no-store')
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(parts.join(''))
  })
  return count
}

/** From the loopback, and not through a proxy that stands there. */
function isLocal({ raw }: FastifyRequest): boolean {
  if (raw.headers.forwarded !== undefined || raw.headers['x-forwarded-for'] !== undefined) return false
  const address = raw.socket.remoteAddress ?? ''
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

function metric(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const inside = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
    return `${name}${inside.length === 0 ? '' : `{${inside.join()}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function ofProcess(): string {
  const { user, system } = process.cpuUsage()
  return (
    metric('process_resident_memory_bytes', 'gauge', 'Memory in use.', [[{}, process.memoryUsage.rss()]]) +
    metric('process_cpu_seconds_total', 'counter', 'Processor time used.', [[{}, (user + system) / 1e6]]) +
    metric('process_start_time_seconds', 'gauge', 'When the process started.', [[{}, performance.timeOrigin / 1000]])
  )
}

function ofAnswers(answers: ReadonlyMap<number, number>): string {
  const samples = [...answers]
    .sort(([a], [b]) => a - b)
    .map(([status, count]): Sample => [{ status: `${status}` }, count])
  return metric('atrium_http_responses_total', 'counter', 'Answers by status.', samples)
}

function ofStore({ store, requestLog }: Services): string {
  const { writes, commits, waiting } = store.status()
  return (
    metric('atrium_store_writes_total', 'counter', 'Changes carried out.', [[{}, writes]]) +
    metric('atrium_store_commits_total', 'counter', 'Commits that they shared.', [[{}, commits]]) +
    metric('atrium_store_waiting_writes', 'gauge', 'Changes waiting for their turn.', [[{}, waiting]]) +
    metric('atrium_request_log_lost_total', 'counter', 'Request log entries not kept.', [[{}, requestLog.lost]])
  )
}

async function ofWorkers({ store }: Services): Promise<string> {
  const rows = await Promise.resolve(store.reader('system').all(workerRows)).catch(() => [])
  const at = (time: 'last_started_at' | 'last_ended_at'): Sample[] =>
    rows.flatMap((row) => (row[time] === null ? [] : [[{ worker: row.name }, row[time] / 1000] as const]))
  const failed = rows.map((row): Sample => [{ worker: row.name }, row.last_failed])
  return (
    metric('atrium_worker_last_start_seconds', 'gauge', 'When its last run began.', at('last_started_at')) +
    metric('atrium_worker_last_end_seconds', 'gauge', 'When its last run ended.', at('last_ended_at')) +
    metric('atrium_worker_last_failed', 'gauge', 'What failed in its last run.', failed)
  )
}

/** Since the scrape before. */
function ofDelay(delay: Delay | null): string {
  if (delay === null || delay.count === 0) return ''
  const samples = [50, 99, 100].map((percent): Sample => {
    return [{ quantile: `${percent / 100}` }, delay.percentile(percent) / 1e9]
  })
  return metric('atrium_event_loop_delay_seconds', 'gauge', 'How late timers fire, since the last scrape.', samples)
}

/**
 * `GET /metrics`: the figures of this process and its workers as Prometheus text. They cover all organizations, so only
 * this machine may read them, and no request that a proxy forwards. A scrape succeeds even if the database is down.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Services } from '../api/services.ts'
import { readDrillStatus, readFollowStatus } from '../db/backup/follow/status.ts'
import { query } from '../db/query.ts'
import type { ReplicaStatus } from '../db/store.ts'
import { deadMails } from '../resources/notifications/shared/dead-mails.ts'
import { indexStatus } from '../search/follow.ts'
import type { Handler, IncomingRequest } from './exchange.ts'
import type { Router } from './router.ts'

type Delay = ReturnType<typeof monitorEventLoopDelay>
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

const selectWorkers = query((db) =>
  db.selectFrom('workers').select(['name', 'last_started_at', 'last_ended_at', 'last_failed']).orderBy('name'),
)

export class Metrics {
  private readonly services: Services
  private readonly replies = new Map<number, number>()
  /** The histogram costs a timer, so it starts with the first scrape. */
  private delay: Delay | null = null

  constructor(services: Services) {
    this.services = services
  }

  /** Counts a reply by its status. */
  count(status: number): void {
    this.replies.set(status, (this.replies.get(status) ?? 0) + 1)
  }

  /** Adds the route. `refuse` answers other machines as if the path did not exist. */
  addTo(router: Router<Handler>, refuse: Handler): void {
    router.add('GET', '/metrics', async (request, params) => {
      if (!isLocal(request)) return refuse(request, params)
      const headers = { 'Cache-Control': 'no-store', 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }
      return { status: 200, headers, body: await this.scrape() }
    })
  }

  close(): void {
    this.delay?.disable()
  }

  private async scrape(): Promise<string> {
    const { services, replies, delay } = this
    const parts = [
      processMetrics(),
      replyMetrics(replies),
      storeMetrics(services),
      await replicaMetrics(services),
      await workerMetrics(services),
      await searchMetrics(services),
      await deadLetterMetrics(services),
      backupMetrics(services.settings.dataDir),
      delayMetrics(delay),
    ]
    if (delay === null) {
      this.delay = monitorEventLoopDelay({ resolution: 20 })
      this.delay.enable()
    } else delay.reset()
    return parts.join('')
  }
}

/** A proxy adds at least one of these, so the request may come from another machine. */
const proxy_headers = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

const loopback_host = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

/**
 * Whether a request comes from this machine, and not through a proxy on it. `Host` must name the loopback: a page of
 * another site that lets its own name resolve to 127.0.0.1 (DNS rebinding) sends that name.
 */
function isLocal({ headers, ip }: IncomingRequest): boolean {
  if (proxy_headers.some((name) => headers[name] !== undefined)) return false
  if (!loopback_host.test(headers.host ?? '')) return false
  return ip === '::1' || /^(::ffff:)?127\./.test(ip)
}

function metric(name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join()}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function processMetrics(): string {
  const { user, system } = process.cpuUsage()
  return (
    metric('process_resident_memory_bytes', 'gauge', 'Memory in use.', [[{}, process.memoryUsage.rss()]]) +
    metric('process_cpu_seconds_total', 'counter', 'Processor time used.', [[{}, (user + system) / 1e6]]) +
    metric('process_start_time_seconds', 'gauge', 'When the process started.', [[{}, performance.timeOrigin / 1000]])
  )
}

function replyMetrics(replies: ReadonlyMap<number, number>): string {
  const samples = [...replies]
    .sort(([a], [b]) => a - b)
    .map(([status, count]): Sample => [{ status: `${status}` }, count])
  return metric('atrium_http_responses_total', 'counter', 'Responses by status.', samples)
}

function storeMetrics({ store, requestLog }: Services): string {
  const { writes, commits, waiting } = store.status()
  return (
    metric('atrium_store_writes_total', 'counter', 'Write jobs executed.', [[{}, writes]]) +
    metric('atrium_store_commits_total', 'counter', 'Commits; one may hold several write jobs.', [[{}, commits]]) +
    metric('atrium_store_waiting_writes', 'gauge', 'Write jobs waiting in the queue.', [[{}, waiting]]) +
    metric('atrium_request_log_lost_total', 'counter', 'Request log entries dropped.', [[{}, requestLog.lost]])
  )
}

/** Nothing without replicas. */
async function replicaMetrics({ store }: Services): Promise<string> {
  const replicas = await store.replicaStatus()
  if (replicas.length === 0) return ''
  const each = (value: (of: ReplicaStatus) => number | null): Sample[] =>
    replicas.flatMap((of) => {
      const found = value(of)
      return found === null ? [] : [[{ replica: of.name }, found] as const]
    })
  return (
    metric(
      'atrium_replica_ready',
      'gauge',
      'Whether reads are sent to the replica.',
      each((of) => Number(of.ready)),
    ) +
    metric(
      'atrium_replica_behind_bytes',
      'gauge',
      'Distance of its log.',
      each((of) => of.behind_bytes),
    ) +
    metric(
      'atrium_replica_reads_total',
      'counter',
      'Reads that it answered.',
      each((of) => of.served),
    ) +
    metric(
      'atrium_replica_fallbacks_total',
      'counter',
      'Reads that it left to the primary.',
      each((of) => of.passed_on),
    )
  )
}

async function workerMetrics({ store }: Services): Promise<string> {
  const rows = await Promise.resolve(store.reader('system').all(selectWorkers)).catch(() => [])
  const times = (column: 'last_started_at' | 'last_ended_at'): Sample[] =>
    rows.flatMap((row) => (row[column] === null ? [] : [[{ worker: row.name }, row[column] / 1000] as const]))
  const failures = rows.map((row): Sample => [{ worker: row.name }, row.last_failed])
  return (
    metric('atrium_worker_last_start_seconds', 'gauge', 'Start of the last run.', times('last_started_at')) +
    metric('atrium_worker_last_end_seconds', 'gauge', 'End of the last run.', times('last_ended_at')) +
    metric('atrium_worker_last_failed', 'gauge', 'Items that failed in the last run.', failures)
  )
}

async function searchMetrics({ store }: Services): Promise<string> {
  const status = await Promise.resolve(store.reader('system').first(indexStatus)).catch(() => undefined)
  if (status === undefined) return ''
  return (
    metric('atrium_search_behind_events', 'gauge', 'Events that search does not include yet.', [
      [{}, Number(status.behind)],
    ]) +
    metric('atrium_search_building', 'gauge', 'Data sets whose search index is being built.', [
      [{}, Number(status.walking)],
    ])
  )
}

/** Of the continuous backup, whose process writes its state beside the database; nothing without one. */
function backupMetrics(folder: string): string {
  const [follow, drill] = [readFollowStatus(folder), readDrillStatus(folder)]
  const gauge = (name: string, help: string, value: number | null | undefined): string =>
    typeof value === 'number' ? metric(name, 'gauge', help, [[{}, value]]) : ''
  const seconds = (at: number | null | undefined) => (typeof at === 'number' ? at / 1000 : null)
  return (
    gauge('atrium_backup_covered_seconds', 'Time up to which all commits are backed up.', seconds(follow?.covered)) +
    gauge('atrium_backup_base_seconds', 'Time of the newest base.', seconds(follow?.base)) +
    gauge('atrium_backup_log_bytes', 'Size of the write-ahead log.', follow?.log_bytes) +
    gauge(
      'atrium_backup_files_covered_seconds',
      'Time up to which all files are backed up.',
      seconds(follow?.files_covered),
    ) +
    gauge('atrium_backup_drill_seconds', 'Time of the newest drill.', seconds(drill?.at)) +
    gauge('atrium_backup_drill_ok', 'Whether it succeeded.', drill === null ? null : Number(drill.ok))
  )
}

/** No sample if the database cannot be read. At most `mail_dead_listed_max` of each kind are counted. */
async function deadLetterMetrics({ store }: Services): Promise<string> {
  const found = await deadMails(store.reader('system')).catch(() => null)
  const of = (isPush: boolean) => found?.filter(({ kind }) => (kind === 'push') === isPush).length ?? 0
  const samples: Sample[] =
    found === null
      ? []
      : [
          [{ by: 'mail' }, of(false)],
          [{ by: 'push' }, of(true)],
        ]
  return metric('atrium_dead_letters', 'gauge', 'Mails and notices of browsers that were given up.', samples)
}

/** Figures since the previous scrape. */
function delayMetrics(delay: Delay | null): string {
  if (delay === null || delay.count === 0) return ''
  const samples = [50, 99, 100].map((percent): Sample => {
    return [{ quantile: `${percent / 100}` }, delay.percentile(percent) / 1e9]
  })
  return metric('atrium_event_loop_delay_seconds', 'gauge', 'Delay of timers since the last scrape.', samples)
}

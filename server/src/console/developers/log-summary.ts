/** Aggregates the request log by time, operation, error code and credential. Memory use is bounded. */
import { console_limits } from '../limits.ts'
import type { LoggedRequest, LogSummary, LogWindow } from '../shapes.ts'

const hour_seconds = 3600
const window_seconds: Readonly<Record<LogWindow, number>> = {
  '1h': hour_seconds,
  '24h': 24 * hour_seconds,
  '7d': 168 * hour_seconds,
}
const bucket_count = 48
const hours_shown = 24

interface RequestCounts {
  requests: number
  errors: number
}

/** A histogram of durations: millisecond buckets below one second, 100 ms buckets above. */
class Durations {
  private readonly counts = new Map<number, number>()
  private total = 0

  add(ms: number): void {
    const bucket = ms < 1000 ? ms : Math.min(Math.round(ms / 100) * 100, 600_000)
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + 1)
    this.total++
  }

  percentile(share: number): number {
    let left = Math.ceil(this.total * share)
    for (const [ms, count] of [...this.counts].sort(([a], [b]) => a - b)) {
      left -= count
      if (left <= 0) return ms
    }
    return 0
  }
}

type ByCode = { -readonly [K in keyof LogSummary['errors_by_code'][number]]: LogSummary['errors_by_code'][number][K] }

export class LogSummaryBuilder {
  private readonly window: LogWindow
  private readonly to: number
  private readonly from: number
  private readonly all: RequestCounts = { requests: 0, errors: 0 }
  private readonly buckets: RequestCounts[]
  private readonly operations = new Map<string, RequestCounts & { durations: Durations }>()
  private readonly codes = new Map<string, ByCode>()
  private readonly credentials = new Map<string, RequestCounts & { last_at: number; hours: number[] }>()

  /** `to` in Unix seconds. */
  constructor(window: LogWindow, to: number) {
    this.window = window
    this.to = to
    this.from = to - window_seconds[window]
    this.buckets = Array.from({ length: bucket_count }, () => ({ requests: 0, errors: 0 }))
  }

  /** Adds an entry; the newest comes first. Returns false if the entry is older than the window. */
  add(entry: LoggedRequest): boolean {
    if (entry.created < this.from) return false
    const isError = entry.status >= 400
    const bucket = Math.floor(((entry.created - this.from) * bucket_count) / window_seconds[this.window])
    count(this.all, isError)
    count(this.buckets[Math.min(bucket, bucket_count - 1)] as RequestCounts, isError)
    this.addOperation(entry, isError)
    this.addCredential(entry, isError)
    if (isError) this.addCode(entry)
    return true
  }

  private addOperation(entry: LoggedRequest, isError: boolean): void {
    const { duration_ms } = entry
    const operation = operationOf(entry)
    const totals = this.operations.get(operation) ?? { requests: 0, errors: 0, durations: new Durations() }
    this.operations.set(operation, totals)
    count(totals, isError)
    totals.durations.add(duration_ms)
  }

  private addCredential({ credential, created }: LoggedRequest, isError: boolean): void {
    let totals = this.credentials.get(credential)
    if (totals === undefined) {
      if (this.credentials.size >= console_limits.console_groups_max) return
      totals = { requests: 0, errors: 0, last_at: created, hours: Array.from({ length: hours_shown }, () => 0) }
      this.credentials.set(credential, totals)
    }
    count(totals, isError)
    const hour = hours_shown - 1 - Math.floor((this.to - created) / hour_seconds)
    if (hour >= 0 && hour < hours_shown) totals.hours[hour] = (totals.hours[hour] ?? 0) + 1
  }

  private addCode(entry: LoggedRequest): void {
    const { error_code, status, created, id, error_param } = entry
    const operation = operationOf(entry)
    const code = error_code ?? String(status)
    const key = `${code} ${operation}`
    const group = this.codes.get(key)
    if (group !== undefined) group.count++
    else if (this.codes.size < console_limits.console_groups_max) {
      this.codes.set(key, { code, operation, status, count: 1, last_at: created, last_request: id, param: error_param })
    }
  }

  /** `reached` is the time of the oldest scanned entry if the scan stopped early. */
  show(reached: number | null): LogSummary {
    const step = window_seconds[this.window] / bucket_count
    return {
      window: this.window,
      from: reached ?? this.from,
      to: this.to,
      complete: reached === null,
      ...this.all,
      buckets: this.buckets.map((bucket, i) => ({ at: Math.floor(this.from + i * step), ...bucket })),
      operations: [...this.operations]
        .map(([operation, { durations, ...counted }]) => ({
          operation,
          ...counted,
          p50_ms: durations.percentile(0.5),
          p99_ms: durations.percentile(0.99),
        }))
        .sort((a, b) => b.requests - a.requests),
      errors_by_code: [...this.codes.values()].sort((a, b) => b.count - a.count),
      credentials: [...this.credentials]
        .map(([credential, counted]) => ({ credential, ...counted }))
        .sort((a, b) => b.requests - a.requests),
    }
  }
}

/** Requests that met no operation are a group of their own. */
export function operationOf({ operation }: LoggedRequest): string {
  return operation ?? 'none'
}

function count(counted: RequestCounts, isError: boolean): void {
  counted.requests++
  if (isError) counted.errors++
}

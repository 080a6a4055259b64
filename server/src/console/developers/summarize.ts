/** Adds entries of the request log up: by time, operation, error and credential. Memory does not grow with the entries. */
import { limits } from '../../lib/limits.ts'
import type { LoggedRequest, LogSummary, LogWindow } from '../shapes-developers.ts'

const hour = 3600
export const window_seconds: Readonly<Record<LogWindow, number>> = { '1h': hour, '24h': 24 * hour, '7d': 168 * hour }
const bucket_count = 48
const hours_shown = 24

interface Counted {
  requests: number
  errors: number
}

/** Durations in milliseconds by their count: exact below a second, to a tenth of it above. */
class Durations {
  private readonly counts = new Map<number, number>()
  private total = 0

  add(ms: number): void {
    const kept = ms < 1000 ? ms : Math.min(Math.round(ms / 100) * 100, 600_000)
    this.counts.set(kept, (this.counts.get(kept) ?? 0) + 1)
    this.total++
  }

  at(share: number): number {
    let left = Math.ceil(this.total * share)
    for (const [ms, count] of [...this.counts].sort(([a], [b]) => a - b)) {
      left -= count
      if (left <= 0) return ms
    }
    return 0
  }
}

type ByCode = { -readonly [K in keyof LogSummary['errors_by_code'][number]]: LogSummary['errors_by_code'][number][K] }

export class Summary {
  private readonly window: LogWindow
  private readonly to: number
  private readonly from: number
  private readonly all: Counted = { requests: 0, errors: 0 }
  private readonly buckets: Counted[]
  private readonly operations = new Map<string, Counted & { durations: Durations }>()
  private readonly codes = new Map<string, ByCode>()
  private readonly credentials = new Map<string, Counted & { last_at: number; hours: number[] }>()

  /** `to` in Unix seconds. */
  constructor(window: LogWindow, to: number) {
    this.window = window
    this.to = to
    this.from = to - window_seconds[window]
    this.buckets = Array.from({ length: bucket_count }, () => ({ requests: 0, errors: 0 }))
  }

  /** Takes entries from the newest on. False: this one is older than the window. */
  add(entry: LoggedRequest): boolean {
    if (entry.created < this.from) return false
    const isError = entry.status >= 400
    const bucket = Math.floor(((entry.created - this.from) * bucket_count) / window_seconds[this.window])
    count(this.all, isError)
    count(this.buckets[Math.min(bucket, bucket_count - 1)] as Counted, isError)
    this.addOperation(entry, isError)
    this.addCredential(entry, isError)
    if (isError) this.addCode(entry)
    return true
  }

  private addOperation({ operation, duration_ms }: LoggedRequest, isError: boolean): void {
    const found = this.operations.get(operation) ?? { requests: 0, errors: 0, durations: new Durations() }
    this.operations.set(operation, found)
    count(found, isError)
    found.durations.add(duration_ms)
  }

  private addCredential({ credential, created }: LoggedRequest, isError: boolean): void {
    let found = this.credentials.get(credential)
    if (found === undefined) {
      if (this.credentials.size >= limits.console_groups_max) return
      found = { requests: 0, errors: 0, last_at: created, hours: Array.from({ length: hours_shown }, () => 0) }
      this.credentials.set(credential, found)
    }
    count(found, isError)
    const ago = Math.floor((this.to - created) / hour)
    if (ago >= 0 && ago < hours_shown)
      found.hours[hours_shown - 1 - ago] = (found.hours[hours_shown - 1 - ago] ?? 0) + 1
  }

  private addCode(entry: LoggedRequest): void {
    const { error_code, operation, status, created, id, error_param } = entry
    const code = error_code ?? String(status)
    const key = `${code} ${operation}`
    const found = this.codes.get(key)
    if (found !== undefined) found.count++
    else if (this.codes.size < limits.console_groups_max) {
      this.codes.set(key, { code, operation, status, count: 1, last_at: created, last_request: id, param: error_param })
    }
  }

  /** `reached`: the time of the oldest entry that was looked at, where not all were. */
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
          p50_ms: durations.at(0.5),
          p99_ms: durations.at(0.99),
        }))
        .sort((a, b) => b.requests - a.requests),
      errors_by_code: [...this.codes.values()].sort((a, b) => b.count - a.count),
      credentials: [...this.credentials]
        .map(([credential, counted]) => ({ credential, ...counted }))
        .sort((a, b) => b.requests - a.requests),
    }
  }
}

function count(counted: Counted, isError: boolean): void {
  counted.requests++
  if (isError) counted.errors++
}

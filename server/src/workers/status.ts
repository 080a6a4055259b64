/** The status of the workers: the register joined with the rows that the processes have stored. */
import { query } from '../db/query.ts'
import type { WorkerRow } from '../db/schema.ts'
import type { Reader } from '../db/store.ts'
import { workers } from './index.ts'
import type { Worker } from './worker.ts'

export interface WorkerStatus {
  readonly name: string
  readonly does: string
  readonly period_seconds: number
  /** `late`: its next run is overdue; `never`: it has not run yet. */
  readonly state: 'ok' | 'running' | 'failing' | 'late' | 'never'
  /** Unix seconds. */
  readonly last_started_at: number | null
  readonly last_ended_at: number | null
  /** Of its last run. */
  readonly done: number
  readonly failed: number
  /** Time since its next run was due. */
  readonly lag_seconds: number | null
  readonly last_error: string | null
}

const allRows = query((db) => db.selectFrom('workers').selectAll())

/** Every worker of the register at `now` (milliseconds), in its order. */
export async function workerStatus(reader: Reader, now: number): Promise<WorkerStatus[]> {
  const rows = new Map((await reader.all(allRows)).map((row) => [row.name, row]))
  return workers.map((worker) => statusOf(worker, rows.get(worker.name), now))
}

function statusOf(worker: Worker, row: WorkerRow | undefined, now: number): WorkerStatus {
  const started = row?.last_started_at ?? null
  const ended = row?.last_ended_at ?? null
  const lag =
    started === null ? null : Math.max(0, Math.floor((now - Math.max(started, ended ?? 0) - worker.period_ms) / 1000))
  return {
    name: worker.name,
    does: worker.does,
    period_seconds: worker.period_ms / 1000,
    state: stateOf(worker, row, now),
    last_started_at: inSeconds(started),
    last_ended_at: inSeconds(ended),
    done: row?.last_done ?? 0,
    failed: row?.last_failed ?? 0,
    lag_seconds: lag,
    last_error: row?.last_error ?? null,
  }
}

function stateOf(worker: Worker, row: WorkerRow | undefined, now: number): WorkerStatus['state'] {
  if (row === undefined || row.last_started_at === null) return 'never'
  if (row.lease_until !== null && row.lease_until > now) return 'running'
  if (row.last_failed > 0) return 'failing'
  // A run may take as long as its lease, and the wait for the next begins at its end.
  return now - row.last_started_at > worker.period_ms + worker.lease_ms ? 'late' : 'ok'
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1000)
}

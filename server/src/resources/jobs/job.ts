/** The export job: queued → running → completed | failed; a completed one expires with its file (decisions §13). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, head, Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import type { ExportJobRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const ExportJob = Type.Object({
  ...head('export_job'),
  resource: Type.Literal('tasks'),
  workspace: Nullable(Id),
  parameters: Type.Record(Type.String(), Type.Unknown()),
  status: OneOf('queued', 'running', 'completed', 'failed', 'expired'),
  row_count: Nullable(Type.Integer({ minimum: 0 })),
  size_bytes: Nullable(Type.Integer({ minimum: 0 })),
  sha256: Nullable(Type.String()),
  started_at: Nullable(Seconds),
  completed_at: Nullable(Seconds),
  expires_at: Nullable(Seconds),
  download_url: Nullable(Type.String()),
  download_url_expires_at: Nullable(Seconds),
  error: Nullable(Type.String()),
  requested_by: Actor,
})

export type ExportJob = Static<typeof ExportJob>

/** Where a completed file may be fetched, and until when (milliseconds). */
export interface Download {
  readonly url: string
  readonly expiresAt: number
}

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** The job as it stands; events show it without a download, which is a capability and not a fact. */
export function showExportJob(row: ExportJobRow, download: Download | null): ExportJob {
  return {
    id: row.id,
    object: 'export_job',
    created: seconds(row.created),
    updated: seconds(row.updated),
    resource: 'tasks',
    workspace: row.workspace,
    parameters: JSON.parse(row.parameters) as ExportJob['parameters'],
    status: row.status as ExportJob['status'],
    row_count: row.row_count,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    started_at: whole(row.started_at),
    completed_at: whole(row.completed_at),
    expires_at: whole(row.expires_at),
    download_url: download?.url ?? null,
    download_url_expires_at: whole(download?.expiresAt ?? null),
    error: row.error,
    requested_by: { type: row.requested_by_type, id: row.requested_by_id },
  }
}

export const exportJobNoun = noun({
  object: 'export_job',
  prefix: 'job',
  table: 'export_jobs',
  schema: ExportJob,
  readScope: 'tasks:read',
  workspaced: false,
  show: (row) => showExportJob(row, null),
})

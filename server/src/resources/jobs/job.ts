/** The export job: queued → running → completed | failed; a completed one expires with its file (contract/13#job-states). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import type { ExportJobRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const ExportJob = Type.Object({
  ...head('export_job'),
  resource: described(Type.Literal('tasks'), 'What is exported: always `tasks`.'),
  workspace: described(Nullable(Id), 'Workspace whose tasks are exported; null for all.'),
  parameters: described(Type.Record(Type.String(), Type.Unknown()), 'Filters of the export; ids in place of names.'),
  status: described(
    OneOf('queued', 'running', 'completed', 'failed', 'expired'),
    '`expired` once the file has been deleted.',
  ),
  row_count: described(Nullable(Type.Integer({ minimum: 0 })), 'Number of tasks in the file; null until completed.'),
  size_bytes: described(Nullable(Type.Integer({ minimum: 0 })), 'Size of the file in bytes; null until completed.'),
  sha256: described(Nullable(Type.String()), 'SHA-256 of the file in hexadecimal; null until completed.'),
  started_at: described(Nullable(Seconds), 'When the export started, in Unix seconds; null while queued.'),
  completed_at: described(Nullable(Seconds), 'When the file was complete, in Unix seconds; null before.'),
  expires_at: described(Nullable(Seconds), 'When the file will be deleted, in Unix seconds; null until completed.'),
  download_url: described(
    Nullable(Type.String()),
    'Signed URL of the file, valid for one hour without a credential; null unless completed.',
  ),
  download_url_expires_at: described(
    Nullable(Seconds),
    'When `download_url` stops working, in Unix seconds; null without one.',
  ),
  error: described(Nullable(Type.String()), 'Why the export failed; null otherwise.'),
  requested_by: described(Actor, 'Who requested the export.'),
})

export type ExportJob = Static<typeof ExportJob>

/** The URL of a completed file and its expiry in milliseconds. */
export interface Download {
  readonly url: string
  readonly expiresAt: number
}

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** The current job. Events show it without a download, because the URL grants access. */
export function showExportJob(row: ExportJobRow, download: Download | null): ExportJob {
  const { resolved: _resolved, ...parameters } = JSON.parse(row.parameters) as ExportJob['parameters']
  return {
    id: row.id,
    object: 'export_job',
    created: seconds(row.created),
    updated: seconds(row.updated),
    resource: 'tasks',
    workspace: row.workspace,
    parameters,
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

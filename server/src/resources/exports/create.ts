import Type from 'typebox'
import { actorOf } from '../../api/actor.ts'
import { writeOperation } from '../../api/operation.ts'
import { findReference } from '../../api/references.ts'
import { Id, Nullable, Seconds } from '../../api/shapes.ts'
import { newId } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import { exportJobCreated } from '../jobs/events.ts'
import { ExportJob, exportJobNoun, showExportJob } from '../jobs/job.ts'
import { projectNoun } from '../projects/project.ts'
import { readTaskFilter } from '../tasks/queries-filter.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'

const words = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { maxItems: limits.repeated_values_max }),
)

/** Queues an export of the tasks that a list with the same restrictions shows, as they are when it runs. */
export const createExport = writeOperation({
  id: 'exports.create',
  method: 'POST',
  path: '/v1/exports',
  summary: 'Export tasks',
  scope: 'tasks:read',
  credits: 500,
  body: {
    resource: Type.Literal('tasks'),
    workspace: Type.Optional(Nullable(Id)),
    project: words,
    status: words,
    assignee: words,
    due_before: Type.Optional(Seconds),
    is_archived: Type.Optional(Type.Boolean()),
    filter: Type.Optional(Type.String({ minLength: 1, maxLength: limits.filter_chars_max })),
  },
  returns: ExportJob,
  emits: [exportJobCreated],
  example: { body: { resource: 'tasks', workspace: '{workspace}' } },
  async handle({ body, caller, tx, now, emit }) {
    const { resource: _resource, workspace, filter, ...parameters } = body
    if (workspace) await findReference(workspaceNoun, { tx, caller }, workspace, 'workspace')
    for (const [i, project] of (body.project ?? []).entries()) {
      if (project !== 'null') await findReference(projectNoun, { tx, caller }, project, `project[${i}]`)
    }
    // A saved filter is exported as it is now, whatever becomes of it before the job runs.
    const found =
      filter === undefined ? undefined : await readTaskFilter({ reader: tx, caller }, filter, 'invalid_request_body')
    const actor = actorOf(caller)
    const row = {
      realm: caller.realm,
      id: newId(exportJobNoun.prefix, now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      organization: caller.organization,
      mode: caller.mode,
      workspace: workspace ?? null,
      parameters: JSON.stringify({ ...parameters, ...(found === undefined ? {} : { filter: found.text }) }),
      status: 'queued',
      row_count: null,
      size_bytes: null,
      sha256: null,
      started_at: null,
      completed_at: null,
      expires_at: null,
      error: null,
      requested_by_type: actor.type,
      requested_by_id: actor.id,
      attempt: 0,
      tries: 0,
      lease_owner: null,
      lease_until: null,
    }
    tx.insert('export_jobs', row)
    const job = showExportJob(row, null)
    emit(exportJobCreated, job)
    return job
  },
})

import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { unknownWord } from '../../api/declare/quoted.ts'
import { described, Id, Nullable, Seconds } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { findReference } from '../../api/request/references.ts'
import { actorOf } from '../../api/write/actor.ts'
import { newId } from '../../lib/ids.ts'
import { exportJobCreated } from '../jobs/events.ts'
import { ExportJob, exportJobNoun, showExportJob } from '../jobs/job.ts'
import { projectNoun } from '../projects/project.ts'
import { filter_grammar, readTaskFilter } from '../tasks/shared/filter.ts'
import { resolveNames } from '../tasks/shared/list.ts'
import { task_statuses } from '../tasks/task.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'

const words = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: 160 }), { maxItems: limits.repeated_values_max }),
)

/** Refuses the first status that no task has. */
function requireStatuses(sent: readonly string[]): void {
  for (const [i, each] of sent.entries()) {
    if (task_statuses.some((status) => status === each)) continue
    const param = `status[${i}]`
    throw refuse('invalid_request_body', { param, message: unknownWord(param, each, task_statuses) })
  }
}

/** Queues an export of the tasks that a list with the same filters shows at the time when the export runs. */
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
    project: described(
      words,
      'Tasks of these projects, by id or name; the text `none` or `null` selects tasks without one.',
    ),
    status: described(words, 'Tasks with one of these statuses.'),
    assignee: described(
      words,
      'Tasks of these users, by id, e-mail address, full name or `me`; the text `none` or `null` selects unassigned tasks.',
    ),
    due_before: described(Type.Optional(Seconds), 'Tasks due before this time in Unix seconds, exclusive.'),
    is_archived: described(
      Type.Optional(Type.Boolean()),
      'Tasks of archived projects (true) or of others (false). False by default.',
    ),
    filter: described(Type.Optional(Type.String({ minLength: 1, maxLength: limits.filter_chars_max })), filter_grammar),
  },
  returns: ExportJob,
  emits: [exportJobCreated],
  example: { body: { resource: 'tasks', workspace: '{workspace}' } },
  async handle({ body, caller, tx, now, emit }) {
    const { resource: _resource, workspace, filter, ...parameters } = body
    if (workspace) await findReference(workspaceNoun, { tx, caller }, workspace, 'workspace')
    requireStatuses(body.status ?? [])
    const context = { reader: tx, caller, now, workspace: workspace ?? undefined }
    const ids = (name: 'project' | 'assignee') =>
      resolveNames(context, name, body[name], 'invalid_request_body', (i) => `${name}[${i}]`)
    const [projects, assignee] = [await ids('project'), await ids('assignee')]
    for (const [i, project] of (projects ?? []).entries()) {
      if (project !== 'null') await findReference(projectNoun, { tx, caller }, project, `project[${i}]`)
    }
    // Resolved now: names, `me`, times and saved filters have their meaning at the time of the request.
    const found = filter === undefined ? undefined : await readTaskFilter(context, filter, 'invalid_request_body')
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
      parameters: JSON.stringify({
        ...parameters,
        project: projects,
        assignee,
        ...(found === undefined ? {} : { filter: found.text, resolved: found.filter }),
      }),
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

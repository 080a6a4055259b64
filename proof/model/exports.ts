/** Exports of tasks: queued by a request, written by a worker, downloaded by URL. */
import { bad_filters, isFilterText } from './filter.ts'
import { type Form, flag, id, moment, nullable, oneOf } from './forms.ts'
import type { Model } from './model.ts'
import { anyText, type Fields, type Json } from './names.ts'
import { type Context, operation } from './operation.ts'
import { badBody } from './refused.ts'
import { alive, type Realm, type Thing } from './state.ts'
import { generatedFilter, treeOf } from './task-lists.ts'
import { statuses } from './tasks.ts'

/** Words of a filter, as in lists; unknown words match nothing. */
function words(good: Form['good']): Form {
  return {
    good: (n, finder) => Array.from({ length: 1 + n.below(2) }, () => good(n, finder)),
    bad: ['x', {}, [''], [5]],
    faults: (value, path) => {
      if (!Array.isArray(value)) return [path]
      return value.flatMap((each, i) =>
        typeof each === 'string' && each.length >= 1 && each.length <= 160 ? [] : [`${path}[${i}]`],
      )
    },
  }
}

const filter: Form = {
  good: (n, finder) => generatedFilter(n, finder as Model),
  bad: ['', 5, ...bad_filters],
  faults: (value, path) => (isFilterText(value) ? [] : [path]),
}

const create = operation('exports.create', {
  body: {
    resource: oneOf('tasks'),
    workspace: nullable(id('workspace')),
    project: words((n, finder) => (n.chance(30) ? 'null' : finder.reference('project', n))),
    status: words((n) => n.pick(statuses)),
    assignee: words((n, finder) => finder.reference('user', n)),
    due_before: moment,
    is_archived: flag,
    filter,
  },
  needs: ['resource'],
  run(context) {
    const { model, realm, body, credential } = context
    const { resource: _resource, workspace, filter: sent, ...parameters } = body
    if (typeof workspace === 'string') model.workspaceOf(realm, workspace)
    for (const [i, project] of ((body.project ?? []) as string[]).entries()) {
      if (project !== 'null') model.referred(realm, 'project', project, `project[${i}]`)
    }
    const tree = sent === undefined ? null : treeOf(model, realm, sent as string)
    if (sent !== undefined && tree === null) throw badBody('filter')
    const made = model.add(realm, 'export_job', {
      ...model.head('export_job'),
      resource: 'tasks',
      workspace: workspace ?? null,
      parameters: { ...parameters, ...(tree === null ? {} : { filter: tree.text }) },
      status: 'queued',
      row_count: null,
      size_bytes: null,
      sha256: null,
      started_at: null,
      completed_at: null,
      expires_at: null,
      download_url: null,
      download_url_expires_at: null,
      error: null,
      requested_by: { type: credential.kind, id: credential.id },
    })
    model.recordEvent('workflow.export_job.created', made)
    context.audit.target = made
    context.audit.workspace = (workspace as string | null | undefined) ?? null
    return { ...made.shown }
  },
})

/** The tasks of an export, oldest first. */
export function exported(model: Model, realm: Realm, job: Thing): Fields[] {
  const { workspace, parameters } = job.shown as { workspace: Json; parameters: Fields }
  const { project, status, assignee, due_before, is_archived, filter: sent } = parameters
  const tree = sent === undefined ? null : treeOf(model, realm, sent as string)
  const among = (words_: Json | undefined, value: Json | undefined): boolean =>
    words_ === undefined || (words_ as Json[]).length === 0 || (words_ as Json[]).includes(value ?? 'null')
  return alive(realm, 'task')
    .map(({ shown }) => shown)
    .filter((task) => {
      if (workspace !== null && task.workspace !== workspace) return false
      if (!among(project, task.project) || !among(status, task.status) || !among(assignee, task.assignee)) return false
      if (due_before !== undefined && (task.due_at === null || Number(task.due_at) >= Number(due_before))) return false
      const wanted = is_archived ?? (tree?.namesArchived ? undefined : false)
      return (wanted === undefined || task.is_archived === wanted) && (tree?.fits(task) ?? true)
    })
}

const hour = 3600

function showJob({ target, now }: Context) {
  const { status, completed_at, expires_at } = target.shown
  if (status !== 'completed') return { ...target.shown }
  if (Number(expires_at) <= now) return { ...target.shown, status: 'expired' }
  const until = Math.min(now + hour, Number(expires_at))
  void completed_at
  return { ...target.shown, download_url: anyText, download_url_expires_at: until }
}

export const exports_ = [create, operation('jobs.retrieve', { target: 'export_job', weight: 2, run: showJob })]

/**
 * Changes of an organization without a request: the clock, operator commands, worker runs. Each is applied to the model and to
 * every server.
 */
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { setExpense } from '../../server/src/resources/expenses/write.ts'
import { addSavedFilter } from '../../server/src/resources/saved_filters/write.ts'
import { addTaskTemplate } from '../../server/src/resources/task_templates/write.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import { drawn, restore, room } from './board-changes.ts'
import { type Change, commit, type DrawChange, one, place } from './change.ts'
import { exported } from './exports.ts'
import { beginRun } from './flow-runs.ts'
import { MissingKind } from './kinds.ts'
import type { Model } from './model.ts'
import { type Expected, type Fields, unknown_value } from './names.ts'
import type { Server } from './server.ts'
import { alive, type Thing } from './state.ts'
import { generatedFilter } from './task-lists.ts'

const wait: DrawChange = (n, model) => pass(model, n.pick([1, 61, 901, 3600, 43_200, 86_400]))

/** Advances to the next UTC day. */
export const nextDay = (model: Model): Change => pass(model, 86_400 - (model.now % 86_400))

export function pass(model: Model, seconds: number): Change {
  model.now += seconds
  return { what: `${seconds} s pass`, apply: async ({ world }) => world.clock.advance(seconds * 1000), expected: null }
}

/** The fields of a template that a request may override by default. */
const overridable_fields = [
  'project',
  'column',
  'title',
  'description',
  'assignee',
  'due_at',
  'status',
  'priority',
  'labels',
  'custom_fields',
]

/** The defaults of a template that sets none. */
const empty_defaults = {
  title: null,
  description: null,
  status: null,
  priority: null,
  assignee: null,
  due_in_seconds: null,
  labels: [],
  custom_fields: {},
}

const template: DrawChange = (n, model) => {
  const workspace = one(model, 'workspace', n)
  const defaults = n.pick<Fields>([
    { title: 'Cut it', labels: ['q3'] },
    { priority: 'high', due_in_seconds: 3600, custom_fields: { points: 3 } },
    { status: 'done', description: 'Words.' },
  ])
  const overridable = n.chance(30) ? ['title', 'assignee'] : undefined
  const named = { name: 'Release', description: null }
  const realm = model.realm('live')
  const shown = {
    ...model.head('task_template'),
    workspace: workspace.id,
    project: null,
    ...named,
    defaults: { ...empty_defaults, ...defaults },
  }
  const made = model.add(realm, 'task_template', {
    ...shown,
    overridable: overridable ?? overridable_fields,
    revision: 1,
  })
  model.recordEvent('workflow.task_template.created', made, null)
  commit(model, realm, 'task_templates.create', made, { workspace: workspace.id })
  return {
    what: `a template ${JSON.stringify(defaults)}`,
    expected: made.shown as Expected,
    apply: (server) =>
      addTaskTemplate(server.world.services, {
        ...place(server),
        workspace: server.names.translate(workspace.id),
        name: 'Release',
        defaults,
        ...(overridable === undefined ? {} : { overridable }),
      }),
  }
}

const savedFilter: DrawChange = (n, model) => {
  const workspace = one(model, 'workspace', n)
  const filter = generatedFilter(n, model)
  const realm = model.realm('live')
  const named = { workspace: workspace.id, project: null, name: 'Mine', description: null, filter, sort: null }
  const shown = {
    ...model.head('saved_filter'),
    ...named,
    visibility: 'team',
    created_by: model.setting.serviceUser,
    revision: 1,
  }
  const made = model.add(realm, 'saved_filter', shown)
  model.recordEvent('workflow.saved_filter.created', made, null)
  commit(model, realm, 'saved_filters.create', made, { workspace: workspace.id })
  return {
    what: `a saved filter ${filter}`,
    expected: made.shown as Expected,
    apply: ({ names, world, ...server }) =>
      addSavedFilter(world.services, {
        ...place(server as Server),
        workspace: names.translate(workspace.id),
        name: 'Mine',
        filter: names.translate(filter),
      }),
  }
}

const submit: DrawChange = (n, model) => {
  const expense = one(model, 'expense', n, ({ shown }) => shown.status === 'draft' || shown.status === 'rejected')
  const status = expense.shown.status === 'draft' ? ('submitted' as const) : ('draft' as const)
  const realm = model.realm('live')
  model.change(expense, { status }, 'workflow.expense.updated')
  commit(model, realm, 'expenses.update', expense)
  return {
    what: `the expense ${expense.id} is ${status}`,
    expected: expense.shown as Expected,
    apply: ({ world, names }) => setExpense(world.services, names.translate(expense.id), status),
  }
}

const byHand: DrawChange = (n, model) => {
  const isManual = ({ shown }: Thing) =>
    shown.status === 'active' && JSON.stringify(shown.graph).includes('trigger.manual')
  const flow = one(model, 'automation_flow', n, isManual)
  const fits = ({ shown }: Thing) =>
    shown.workspace === flow.shown.workspace && (flow.shown.project === null || shown.project === flow.shown.project)
  const task = one(model, 'task', n, fits)
  const realm = model.realm('live')
  const run = beginRun(model, flow, task, model.head('automation_run'))
  model.recordEvent('automation.run.queued', run)
  commit(model, realm, 'automation_runs.start', run)
  flow.shown = { ...flow.shown, last_run_at: model.now }
  return {
    what: `a run of ${flow.id} about ${task.id}`,
    expected: run.shown as Expected,
    apply: ({ world, names }) => startByHand(world.services, names.translate(flow.id), names.translate(task.id)),
  }
}

/** Every queued export of both realms is written, oldest first; its file must equal the model's. */
const write: DrawChange = (_n, model) => {
  const queued = (['live', 'test'] as const).flatMap((mode) => {
    const realm = model.realm(mode)
    const jobs = alive(realm, 'export_job').filter(({ id, shown }) => shown.status === 'queued' && model.isKnown(id))
    return jobs.map((job) => ({ realm, job }))
  })
  if (queued.length === 0) throw new MissingKind('export_job')
  queued.sort((a, b) => (a.job.id < b.job.id ? -1 : 1))
  const files: Expected[] = []
  for (const { realm, job } of queued) {
    const rows = exported(model, realm, job)
    const done = { status: 'completed', row_count: rows.length, size_bytes: unknown_value, sha256: unknown_value }
    const { now } = model
    job.shown = {
      ...job.shown,
      ...done,
      updated: now,
      started_at: now,
      completed_at: now,
      expires_at: now + 7 * 86_400,
    }
    model.recordEvent('workflow.export_job.completed', job, unknown_value)
    commit(model, realm, 'exports.complete', job)
    files.push(rows as unknown as Expected)
  }
  const stop = new AbortController().signal
  return {
    what: `${queued.length} exports are written`,
    expected: files,
    async apply(server) {
      while ((await exportsWorker.run(server.world.services, 1, stop)) > 0);
      return await Promise.all(queued.map(({ job }) => server.download(job.id)))
    },
  }
}

/** The operator disables an operation, or enables the disabled one. */
const disable: DrawChange = (n, model) => {
  const [off] = model.data.disabled
  return disabling(
    off ??
      n.pick([
        'tasks.list',
        'tasks.create',
        'workspaces.list',
        'boards.retrieve',
        'webhook_endpoints.create',
        'usage.retrieve',
        'me.retrieve',
        'task_comments.list',
      ]),
  )(model)
}

export const disabling =
  (id: string) =>
  (model: Model): Change => {
    const isOff = model.data.disabled.includes(id)
    model.data.disabled.splice(0, 1, ...(isOff ? [] : [id]))
    return {
      what: `${id} is switched ${isOff ? 'on' : 'off'}`,
      expected: null,
      async apply({ world }) {
        const disabled = world.services.disabledOperations as Set<string>
        if (isOff) disabled.delete(id)
        else disabled.add(id)
      },
    }
  }

/** The plan lapses or is renewed. */
export function lapse(model: Model): Change {
  const plan = model.data.plan === null ? 'enterprise' : null
  model.data.plan = plan
  return { what: `the plan is ${plan}`, expected: null, apply: (server) => server.setPlan(plan) }
}

export const changes: readonly DrawChange[] = [
  wait,
  wait,
  wait,
  template,
  savedFilter,
  drawn,
  room,
  restore,
  submit,
  byHand,
  write,
  disable,
  (_n, model) => lapse(model),
]

/** The changes that create what only the operator can create. */
export const creators: Readonly<Record<string, DrawChange>> = {
  task_template: template,
  saved_filter: savedFilter,
  board_item: drawn,
  automation_run: byHand,
}

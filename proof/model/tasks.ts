/** Single tasks, templates, and the nested comments and dependencies. */
import { custom, type Form, id, labels, long, moment, nullable, oneOf, title } from './forms.ts'
import { shows } from './lists.ts'
import type { Fields, Json } from './names.ts'
import { type Context, operation } from './operation.ts'
import { badBody } from './refused.ts'
import type { Thing } from './state.ts'
import { addTask, changeTask, checkCompletion, plannedTask, removeTask } from './task-changes.ts'
import { deleted, in_project, in_workspace, isOfProject, listOf, note, show } from './things.ts'

export const statuses = ['todo', 'done', 'backlog', 'in_progress', 'in_review', 'blocked', 'canceled']

export const priorities = ['none', 'low', 'medium', 'high', 'urgent']

const task_fields: Readonly<Record<string, Form>> = {
  project: nullable(id('project')),
  column: nullable(id('column')),
  description: nullable(long),
  status: oneOf(...statuses),
  priority: oneOf(...priorities),
  assignee: nullable(id('user')),
  due_at: nullable(moment),
  completed_at: nullable(moment),
  labels,
  custom_fields: custom,
}

const shown = (thing: Thing) => ({ ...thing.shown })

/** Makes most generated bodies sensible. */
function sensible(body: Fields, context: { present(kind: string): Thing[] }): void {
  if (body.status !== undefined && body.completed_at !== undefined) delete body.completed_at
  const column = context.present('column').find((each) => each.id === body.column)
  if (column === undefined) delete body.column
  else if (body.project !== undefined || body.title !== undefined) body.project = column.shown.project as Json
  const project = context.present('project').find((each) => each.id === body.project)
  if (project !== undefined && 'workspace' in body) body.workspace = project.shown.workspace as Json
}

const createTask = operation('tasks.create', {
  body: { workspace: id('workspace'), title, ...task_fields },
  needs: ['workspace', 'title'],
  check: ({ status, completed_at }) => checkCompletion(status, completed_at),
  shape: (body, n, model) => (n.chance(10) ? undefined : sensible(body, model)),
  weight: 8,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const made = addTask(context, workspace, plannedTask(context, workspace, body))
    note(context, made)
    return shown(made)
  },
})

const batch_fields: Readonly<Record<string, Form>> = { title, ...task_fields }

const batch: Form = {
  good: (n, finder) =>
    Array.from({ length: 1 + n.below(3) }, () => {
      const fields: Fields = { title: title.good(n, finder) }
      for (const name of ['priority', 'labels', 'project']) {
        if (n.chance(30)) fields[name] = (task_fields[name] as Form).good(n, finder)
      }
      return fields
    }),
  bad: [
    [],
    {},
    'x',
    [null],
    ['a'],
    [{}],
    [{ title: 'a' }, { title: 'b', workspace: 'wsp_x' }],
    [{ title: 'a', labels: ['x', ''] }],
  ],
  faults: (value, path) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > 100) return [path]
    return value.flatMap((each: Json, i) => {
      const at = `${path}[${i}]`
      if (typeof each !== 'object' || each === null || Array.isArray(each)) return [at]
      const faults = Object.entries(each).flatMap(
        ([name, inner]) => batch_fields[name]?.faults(inner as Json, `${at}.${name}`) ?? [`${at}.${name}`],
      )
      return 'title' in each ? faults : [...faults, `${at}.title`]
    })
  },
}

const batchTasks = operation('tasks.batch', {
  body: { workspace: id('workspace'), data: batch },
  needs: ['workspace', 'data'],
  weight: 2,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const planned = (body.data as Fields[]).map((each, i) => {
      checkCompletion(each.status, each.completed_at, `data[${i}].`)
      return plannedTask(context, workspace, each, `data[${i}].`)
    })
    const made = planned.map((each) => addTask(context, workspace, each))
    note(context, made[0] as Thing)
    return { object: 'list', url: '/v1/tasks', has_more: false, next_cursor: null, data: made.map(shown) }
  },
})

function changed(context: Context, fields: Fields) {
  changeTask(context, context.target, fields)
  note(context, context.target)
  return shown(context.target)
}

const updateTask = operation('tasks.update', {
  target: 'task',
  body: { workspace: id('workspace'), title, ...task_fields },
  isGuarded: true,
  shape: (body, n, model) => (n.chance(10) ? undefined : sensible(body, model)),
  weight: 8,
  run: (context) => changed(context, context.body),
})

const move = operation('tasks.move', {
  target: 'task',
  body: { ...in_workspace, project: nullable(id('project')), column: nullable(id('column')) },
  shape: (body, n, model) => (n.chance(10) ? undefined : sensible(body, model)),
  weight: 3,
  run: (context) => changed(context, context.body),
})

const complete = operation('tasks.complete', {
  target: 'task',
  body: in_workspace,
  weight: 2,
  run: (context) => changed(context, { status: 'done' }),
})

const deleteTask = operation('tasks.delete', {
  target: 'task',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  weight: 2,
  run(context) {
    removeTask(context.model, context.realm, context.target)
    note(context, context.target)
    return deleted(context.target)
  },
})

/** Overrides and defaults of custom fields by key; fields that the template does not open are refused. */
const instantiate = operation('task_templates.instantiate', {
  target: 'task_template',
  body: {
    workspace: id('workspace'),
    title,
    ...Object.fromEntries(Object.entries(task_fields).filter(([name]) => name !== 'completed_at')),
  },
  needs: ['workspace'],
  shape: (body, n, model) => (n.chance(10) ? undefined : sensible(body, model)),
  weight: 2,
  run(context) {
    const { body, target, now } = context
    const { workspace: _workspace, ...overrides } = body
    const closed = Object.keys(overrides).filter((name) => !(target.shown.overridable as string[]).includes(name))
    if (closed.length > 0) throw badBody(closed)
    const defaults = target.shown.defaults as Fields
    const { due_in_seconds, ...rest } = defaults
    const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
    if (due_in_seconds !== null) set.due_at = now + (due_in_seconds as number)
    const sent: Fields = { project: target.shown.project as Json, ...set, ...overrides }
    sent.custom_fields = { ...(set.custom_fields as Fields), ...(overrides.custom_fields as Fields | undefined) }
    if (sent.title === undefined) throw badBody('title')
    if (typeof overrides.column === 'string' && !('project' in overrides)) sent.project = target.shown.project as Json
    const workspace = target.shown.workspace as string
    const made = addTask(context, workspace, plannedTask(context, workspace, sent), target.id)
    note(context, made)
    return shown(made)
  },
})

export const tasks = [
  createTask,
  batchTasks,
  updateTask,
  move,
  complete,
  deleteTask,
  instantiate,
  operation('task_templates.list', {
    query: in_project,
    run: (context) => listOf(context, 'task_template', isOfProject(context)),
  }),
  operation('task_templates.retrieve', { target: 'task_template', query: in_workspace, run: show }),
  operation('saved_filters.list', { query: in_workspace, run: (context) => listOf(context, 'saved_filter') }),
  operation('saved_filters.retrieve', { target: 'saved_filter', query: in_workspace, run: show }),
]

const head = ['id', 'object', 'created', 'updated', 'workspace']
shows('task_templates.list', [...head, 'project', 'name', 'description', 'defaults', 'overridable', 'revision'])
shows('saved_filters.list', [
  ...head,
  'project',
  'name',
  'description',
  'filter',
  'sort',
  'visibility',
  'created_by',
  'revision',
])

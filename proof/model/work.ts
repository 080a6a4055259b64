/** Workspaces, projects and portfolios. */
import { id, long, moment, nullable, title } from './forms.ts'
import { stored } from './kinds.ts'
import { shows } from './lists.ts'
import type { Model } from './model.ts'
import type { Fields, Json } from './names.ts'
import { type Answer, type Context, operation } from './operation.ts'
import { badBody, conflict } from './refused.ts'
import { alive, type Realm, type Thing } from './state.ts'
import { loseProject, nextNumber, setArchived } from './task-changes.ts'
import { creatorOf, deleted, in_workspace, listOf, note, remove, show } from './things.ts'

export const shown = (thing: Thing): Answer => ({ ...thing.shown }) as Answer

const createWorkspace = operation('workspaces.create', {
  body: { title },
  needs: ['title'],
  weight: 1,
  run(context) {
    const { model, realm, body } = context
    const key = model.name(realm.mode === 'live' ? 'wkey' : 'tkey')
    const fields = { title: body.title as string, key, status: 'active', default_currency: 'EUR', revision: 1 }
    const made = model.add(realm, 'workspace', { ...model.head('workspace'), ...fields }, { numbers: 0 })
    model.recordEvent('workflow.workspace.created', made)
    note(context, made)
    return shown(made)
  },
})

const updateWorkspace = operation('workspaces.update', {
  target: 'workspace',
  body: { title },
  isGuarded: true,
  run: (context) => changed(context, context.body, 'workflow.workspace.updated'),
})

export function changed(context: Context, fields: Fields, type: string): Answer {
  const { model, target } = context
  model.change(target, fields, type)
  note(context, target)
  return shown(target)
}

/** The fields among these that are present. */
export function given(body: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (name in body ? [[name, body[name] as Json]] : [])))
}

function requirePortfolio(model: Model, realm: Realm, reference: Json | undefined, workspace: Json): void {
  if (typeof reference !== 'string') return
  if (model.referred(realm, 'portfolio', reference, 'portfolio').shown.workspace !== workspace)
    throw badBody('portfolio')
}

const createProject = operation('projects.create', {
  body: { workspace: id('workspace'), name: title, description: long, portfolio: nullable(id('portfolio')) },
  needs: ['workspace', 'name'],
  weight: 3,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    requirePortfolio(model, realm, body.portfolio, workspace)
    const fields: Fields = {
      ...model.head('project'),
      workspace,
      portfolio: body.portfolio ?? null,
      name: body.name as string,
      description: stored(body.description),
      status: 'active',
      archived_at: null,
      duplicated_from: null,
      revision: 1,
    }
    const made = model.add(realm, 'project', fields)
    model.recordEvent('workflow.project.created', made)
    note(context, made)
    return shown(made)
  },
})

/** `archived_at` as a status change; an archived object keeps its time. */
function archiving(target: Thing, sent: Json | undefined): Fields {
  if (sent === undefined) return {}
  if (sent === null) return { status: 'active', archived_at: null }
  return target.shown.status === 'archived' ? {} : { status: 'archived', archived_at: sent }
}

function archivingType(object: string, target: Thing, change: Fields): string {
  if (change.status === undefined || change.status === target.shown.status) return `workflow.${object}.updated`
  return `workflow.${object}.${change.status === 'archived' ? 'archived' : 'unarchived'}`
}

function changeProject(context: Context, change: Fields): Answer {
  const { model, realm, target } = context
  const type = archivingType('project', target, change)
  const answer = changed(context, change, type)
  if (type !== 'workflow.project.updated') setArchived(model, realm, target)
  return answer
}

const updateProject = operation('projects.update', {
  target: 'project',
  body: {
    workspace: id('workspace'),
    name: title,
    description: long,
    portfolio: nullable(id('portfolio')),
    archived_at: nullable(moment),
  },
  isGuarded: true,
  weight: 2,
  run(context) {
    const { model, realm, target, body } = context
    const fields = given(body, 'name', 'portfolio')
    if ('description' in body) fields.description = stored(body.description)
    const isArchived = target.shown.status === 'archived' && body.archived_at !== null
    if (isArchived && Object.keys(fields).length > 0) throw conflict()
    requirePortfolio(model, realm, body.portfolio, target.shown.workspace as string)
    return changeProject(context, { ...fields, ...archiving(target, body.archived_at) })
  },
})

const archiveProject = operation('projects.archive', {
  target: 'project',
  body: in_workspace,
  weight: 2,
  run: (context) => changeProject(context, archiving(context.target, context.now)),
})

const deleteProject = operation('projects.delete', {
  target: 'project',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  run(context) {
    const { model, realm, target } = context
    for (const task of alive(realm, 'task').filter((each) => each.shown.project === target.id))
      loseProject(model, realm, task)
    for (const column of alive(realm, 'column').filter((each) => each.shown.project === target.id)) {
      model.remove(column, 'workflow.column.deleted')
    }
    for (const board of alive(realm, 'board')) {
      if (board.shown.project !== target.id || board.shown.status !== 'active') continue
      model.change(board, { project: null }, 'whiteboard.board.updated')
    }
    for (const flow of alive(realm, 'automation_flow')) {
      if (flow.shown.project !== target.id || flow.shown.status !== 'active') continue
      const pause_reason = model.name('reason')
      model.change(
        flow,
        { status: 'paused', paused_at: model.now, pause_reason, pause_origin: 'system' },
        'automation.flow.paused',
      )
    }
    model.remove(target, 'workflow.project.deleted')
    note(context, target)
    return deleted(target)
  },
})

const duplicateProject = operation('projects.duplicate', {
  target: 'project',
  body: { ...in_workspace, name: title },
  weight: 2,
  run(context) {
    const { model, realm, target, body } = context
    const columns = alive(realm, 'column').filter((each) => each.shown.project === target.id)
    const tasks = alive(realm, 'task').filter((each) => each.shown.project === target.id)
    if (columns.length + tasks.length > 99) throw conflict()
    const name = body.name ?? [...`Copy of ${target.shown.name}`].slice(0, 500).join('')
    const fields = { name, status: 'active', archived_at: null, duplicated_from: target.id, revision: 1 }
    const made = model.add(realm, 'project', { ...target.shown, ...model.head('project'), ...fields })
    model.recordEvent('workflow.project.created', made)
    const places = new Map<Json, Json>([[null, null]])
    for (const column of columns) {
      const copy = model.add(realm, 'column', {
        ...column.shown,
        ...model.head('column'),
        project: made.id,
        revision: 1,
      })
      places.set(column.id, copy.id)
      model.recordEvent('workflow.column.created', copy)
    }
    copyTasks(context, tasks, made, places)
    note(context, made)
    return shown(made)
  },
})

function copyTasks(context: Context, tasks: readonly Thing[], project: Thing, columns: ReadonlyMap<Json, Json>): void {
  const { model, realm } = context
  const copies = new Map<Json, Json>()
  for (const task of tasks) {
    const { number, key } = nextNumber(realm, task.shown.workspace as string)
    const place = { project: project.id, column: columns.get(task.shown.column as Json) ?? null }
    const own = { number, key, creator: creatorOf(context), is_archived: false, revision: 1 }
    const copy = model.add(realm, 'task', { ...task.shown, ...model.head('task'), ...place, ...own })
    copies.set(task.id, copy.id)
    model.recordEvent('workflow.task.created', copy)
  }
  for (const dependency of alive(realm, 'dependency')) {
    const from = copies.get(dependency.shown.from as Json)
    const to = copies.get(dependency.shown.to as Json)
    if (from === undefined || to === undefined) continue
    const fields = { project: project.id, from, to, creator: creatorOf(context) }
    const copy = model.add(realm, 'dependency', { ...dependency.shown, ...model.head('dependency'), ...fields })
    model.recordEvent('workflow.dependency.created', copy)
  }
}

const createPortfolio = operation('portfolios.create', {
  body: { workspace: id('workspace'), name: title, description: long },
  needs: ['workspace', 'name'],
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const fields = { workspace, name: body.name as string, description: stored(body.description) }
    const state = { status: 'active', archived_at: null, revision: 1 }
    const made = model.add(realm, 'portfolio', { ...model.head('portfolio'), ...fields, ...state })
    model.recordEvent('workflow.portfolio.created', made)
    note(context, made)
    return shown(made)
  },
})

const updatePortfolio = operation('portfolios.update', {
  target: 'portfolio',
  body: { ...in_workspace, name: title, description: long, archived_at: nullable(moment) },
  isGuarded: true,
  run(context) {
    const { target, body } = context
    const change = { ...given(body, 'name'), ...archiving(target, body.archived_at) }
    if ('description' in body) change.description = stored(body.description)
    return changed(context, change, archivingType('portfolio', target, change))
  },
})

const deletePortfolio = operation('portfolios.delete', {
  target: 'portfolio',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  run(context) {
    const { model, realm, target } = context
    for (const project of alive(realm, 'project').filter((each) => each.shown.portfolio === target.id)) {
      model.change(project, { portfolio: null }, 'workflow.project.updated')
    }
    return remove(context, 'workflow.portfolio.deleted')
  },
})

export const work = [
  createWorkspace,
  updateWorkspace,
  operation('workspaces.list', { run: (context) => listOf(context, 'workspace') }),
  operation('workspaces.retrieve', { target: 'workspace', run: show }),
  createProject,
  updateProject,
  archiveProject,
  deleteProject,
  duplicateProject,
  operation('projects.list', { query: in_workspace, run: (context) => listOf(context, 'project') }),
  operation('projects.retrieve', { target: 'project', query: in_workspace, run: show }),
  createPortfolio,
  updatePortfolio,
  deletePortfolio,
  operation('portfolios.list', { query: in_workspace, run: (context) => listOf(context, 'portfolio') }),
  operation('portfolios.retrieve', { target: 'portfolio', query: in_workspace, run: show }),
]

const head = ['id', 'object', 'created', 'updated']
shows('workspaces.list', [...head, 'title', 'key', 'status', 'default_currency', 'revision'])
shows('projects.list', [
  ...head,
  'workspace',
  'portfolio',
  'name',
  'description',
  'status',
  'archived_at',
  'duplicated_from',
  'revision',
])
shows('portfolios.list', [...head, 'workspace', 'name', 'description', 'status', 'archived_at', 'revision'])

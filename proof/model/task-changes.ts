/** Changes of a task by any operation. */
import { MissingKind, stored } from './kinds.ts'
import type { Model } from './model.ts'
import type { Fields, Json } from './names.ts'
import type { Context } from './operation.ts'
import { badBody, conflict } from './refused.ts'
import { alive, type Realm, type Thing } from './state.ts'
import { creatorOf } from './things.ts'

/** The dependencies of a task in both directions. */
function dependenciesOf(realm: Realm, task: Thing): Thing[] {
  return alive(realm, 'dependency').filter(({ shown }) => shown.from === task.id || shown.to === task.id)
}

function cut(model: Model, realm: Realm, task: Thing): void {
  for (const dependency of dependenciesOf(realm, task)) model.remove(dependency, 'workflow.dependency.deleted')
}

/** The task's project was deleted. */
export function loseProject(model: Model, realm: Realm, task: Thing): void {
  model.change(task, { project: null, column: null, is_archived: false }, 'workflow.task.moved')
  cut(model, realm, task)
}

/** The project's `is_archived` applies to its tasks. */
export function setArchived(model: Model, realm: Realm, project: Thing): void {
  const is_archived = project.shown.status === 'archived'
  for (const task of alive(realm, 'task')) {
    if (task.shown.project === project.id) model.change(task, { is_archived }, 'workflow.task.updated')
  }
}

export function removeTask(model: Model, realm: Realm, task: Thing): void {
  if (task.shown.is_archived) throw conflict()
  const comments = alive(realm, 'comment').filter((each) => each.shown.task === task.id)
  model.remove(task, 'workflow.task.deleted')
  for (const comment of comments) model.remove(comment, 'workflow.comment.deleted')
  cut(model, realm, task)
}

/** Contradictions in a body: a status and a completion time that do not fit. */
export function checkCompletion(status: Json | undefined, completed_at: Json | undefined, path = ''): void {
  if (status === undefined || completed_at === undefined) return
  if ((status === 'done') !== (completed_at !== null)) throw badBody([`${path}completed_at`, `${path}status`])
}

function completion(before: Fields, { status, completed_at }: Fields, now: number): Fields {
  if (typeof completed_at === 'number') return { status: 'done', completed_at }
  if (status === undefined) {
    if (completed_at === null && before.status === 'done') throw badBody()
    return {}
  }
  if (status !== 'done') return { status, completed_at: null }
  return before.status === 'done' ? {} : { status, completed_at: now }
}

/** The project and column of a task; the column must belong to the project. */
function placeOf({ model, realm }: Context, sent: Fields, before: Fields, path: string): Fields {
  const { workspace } = before
  const project = sent.project === undefined ? (before.project as Json) : sent.project
  if (typeof project === 'string' && project !== before.project)
    model.usableProject(realm, project, workspace as Json, `${path}project`)
  const isKept = project === before.project && sent.column === undefined
  const column = isKept ? (before.column as Json) : (sent.column ?? null)
  if (typeof column === 'string' && column !== before.column) {
    const found = model.referred(realm, 'column', column, `${path}column`)
    if (found.shown.project !== project) throw badBody(`${path}column`)
  } else if (column !== null && project !== before.project) throw badBody(`${path}column`)
  return { project, column }
}

function merged(before: Fields, sent: Json | undefined, path: string): Fields {
  const all = { ...(before.custom_fields as Fields), ...((sent ?? {}) as Fields) }
  const left = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  if (Object.keys(left).length > 50) throw badBody(`${path}custom_fields`)
  return left
}

const plain = ['title', 'priority', 'due_at', 'labels', 'assignee'] as const

/** Changes a task as PATCH does. */
export function changeTask(context: Context, task: Thing, sent: Fields): void {
  const { model, realm, now } = context
  const before = task.shown
  if (before.is_archived) throw conflict()
  checkCompletion(sent.status, sent.completed_at)
  const fields: Fields = { ...completion(before, sent, now) }
  for (const name of plain) if (name in sent) fields[name] = sent[name] as Json
  if ('description' in sent) fields.description = stored(sent.description)
  if ('custom_fields' in sent) fields.custom_fields = merged(before, sent.custom_fields, '')
  Object.assign(fields, placeOf(context, sent, before, ''))
  if (typeof sent.assignee === 'string' && sent.assignee !== before.assignee)
    model.requireUser(sent.assignee, 'assignee')
  fields.position = endOf(context, { ...before, ...fields }, before)
  const left = before.project !== fields.project && before.project !== null
  if (model.change(task, fields, typeOf(before, { ...before, ...fields })) && left) cut(model, realm, task)
}

/** The list that a task stands in. */
const listOf = ({ column, project, workspace }: Fields) => column ?? project ?? workspace

/** A task keeps its position if it is the last one where it arrives, and otherwise follows the last. */
function endOf({ realm }: Context, after: Fields, before: Fields | null): number {
  const own = after.position as number
  if (before !== null && listOf(before) === listOf(after)) return own
  const others = realm.things.filter(
    (each) => each.kind === 'task' && !each.isDeleted && listOf(each.shown) === listOf(after),
  )
  const last = Math.max(...others.map((each) => each.shown.position as number))
  return own > last ? own : last + 1024
}

function typeOf(before: Fields, after: Fields): string {
  if (before.status !== after.status && after.status === 'done') return 'workflow.task.completed'
  if (before.status !== after.status && before.status === 'done') return 'workflow.task.reopened'
  const isMoved = before.project !== after.project || before.column !== after.column
  return `workflow.task.${isMoved ? 'moved' : 'updated'}`
}

/** The validated fields of a new task. `path`: the prefix of its fields in the body. */
export function plannedTask(context: Context, workspace: string, sent: Fields, path = ''): Fields {
  const { model, now } = context
  const empty: Fields = {
    workspace,
    project: null,
    column: null,
    custom_fields: {},
    status: 'todo',
    completed_at: null,
  }
  const place = placeOf(context, { project: sent.project ?? null, column: sent.column ?? null }, empty, path)
  if (typeof sent.assignee === 'string') model.requireUser(sent.assignee, `${path}assignee`)
  const { status, completed_at } = { ...empty, ...completion(empty, sent, now) } as Fields
  return {
    ...place,
    title: sent.title as Json,
    description: stored(sent.description),
    status: status as Json,
    priority: sent.priority ?? 'none',
    assignee: sent.assignee ?? null,
    due_at: sent.due_at ?? null,
    completed_at: completed_at as Json,
    labels: sent.labels ?? [],
    custom_fields: merged(empty, sent.custom_fields, path),
  }
}

/** Adds a validated task. */
export function addTask(context: Context, workspace: string, planned: Fields, template: Json = null): Thing {
  const { model, realm } = context
  const { number, key } = nextNumber(realm, workspace)
  const {
    project,
    column,
    title,
    description,
    status,
    priority,
    assignee,
    due_at,
    completed_at,
    labels,
    custom_fields,
  } = planned
  const made = model.add(realm, 'task', {
    ...model.head('task'),
    workspace,
    number,
    key,
    ...({ project, column, title, description, mentions: [], status, priority, assignee } as Fields),
    creator: creatorOf(context),
    start_at: null,
    ...({ due_at, completed_at } as Fields),
    is_archived: false,
    ...({ labels, custom_fields } as Fields),
    ...{ parent: null, subtask_count: 0, subtask_done_count: 0 },
    position:
      column === null
        ? number * 1024
        : endOf(context, { workspace, project, column, position: number * 1024 } as Fields, null),
    template,
    revision: 1,
  })
  model.recordEvent('workflow.task.created', made)
  return made
}

/** The next task number of a workspace, and the key made from it. */
export function nextNumber(realm: Realm, workspace: string): { number: number; key: string } {
  const found = realm.things.find((thing) => thing.id === workspace)
  if (found === undefined) throw new MissingKind('workspace')
  const number = (found.hidden.numbers as number) + 1
  found.hidden.numbers = number
  return { number, key: `${found.shown.key}-${number}` }
}

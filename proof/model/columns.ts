/** Columns of projects and their order. */
import { colour, type Form, id, isId, nullable, number, title } from './forms.ts'
import { shows } from './lists.ts'
import type { Fields, Json } from './names.ts'
import { operation } from './operation.ts'
import { badBody, conflict } from './refused.ts'
import { alive, type Realm } from './state.ts'
import { in_project, in_workspace, isOfProject, listOf, note, remove, show } from './things.ts'
import { changed, given, shown } from './work.ts'

const createColumn = operation('columns.create', {
  body: { workspace: id('workspace'), project: id('project'), name: title, position: number, color: nullable(colour) },
  needs: ['workspace', 'project', 'name'],
  weight: 3,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const project = model.usableProject(realm, body.project as string, workspace)
    const others = alive(realm, 'column').filter((each) => each.shown.project === project.id)
    const last = others.length === 0 ? 0 : Math.max(...others.map((each) => each.shown.position as number))
    const place = { workspace, project: project.id, name: body.name as string, position: body.position ?? last + 1024 }
    const made = model.add(realm, 'column', {
      ...model.head('column'),
      ...place,
      color: body.color ?? null,
      status: null,
      revision: 1,
    })
    model.recordEvent('workflow.column.created', made)
    note(context, made)
    return shown(made)
  },
})

/** An archived project and everything in it is read-only. */
export function requireOpen(realm: Realm, project: Json | undefined): void {
  const found = realm.things.find((thing) => thing.id === project)
  if (found !== undefined && found.shown.status === 'archived' && !found.isDeleted) throw conflict()
}

const updateColumn = operation('columns.update', {
  target: 'column',
  body: { ...in_workspace, name: title, position: number, color: nullable(colour) },
  isGuarded: true,
  run(context) {
    requireOpen(context.realm, context.target.shown.project)
    return changed(context, given(context.body, 'name', 'position', 'color'), 'workflow.column.updated')
  },
})

const deleteColumn = operation('columns.delete', {
  target: 'column',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  run(context) {
    const { model, realm, target } = context
    requireOpen(realm, target.shown.project)
    for (const task of alive(realm, 'task').filter((each) => each.shown.column === target.id)) {
      model.change(task, { column: null }, 'workflow.task.moved')
    }
    return remove(context, 'workflow.column.deleted')
  },
})

/** A mix of ids and objects. */
const order: Form = {
  good: (n, finder) => {
    const count = 1 + n.below(3)
    const ids = new Set(Array.from({ length: count }, () => finder.reference('column', n)))
    return [...ids].map((each) =>
      n.chance(40) ? { id: each, ...(n.chance(50) ? { position: n.below(9) * 100 } : {}) } : each,
    )
  },
  bad: [[], {}, 'x', [{ position: 1 }], [5], ['a b']],
  faults: (value, path) => {
    if (!Array.isArray(value) || value.length === 0) return [path]
    return value.flatMap((each, i) => {
      if (typeof each === 'string') return isId(each) ? [] : [`${path}[${i}]`]
      const isObject = typeof each === 'object' && each !== null && !Array.isArray(each)
      return isObject && isId(each.id ?? null) ? [] : [path, `${path}[${i}]`, `${path}[${i}].id`]
    })
  },
}

const reorderColumns = operation('columns.reorder', {
  body: { workspace: id('workspace'), project: id('project'), data: order },
  needs: ['workspace', 'project', 'data'],
  weight: 2,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    const project = model.usableProject(realm, body.project as string, workspace)
    const entries = (body.data as Json[]).map((each) => (typeof each === 'string' ? { id: each } : (each as Fields)))
    const columns = entries.map((entry, i) => {
      const found = alive(realm, 'column').find((each) => each.id === entry.id && each.shown.project === project.id)
      const isTwice = entries.findIndex((each) => each.id === entry.id) < i
      if (found === undefined || isTwice) throw badBody(`data[${i}]`)
      return found
    })
    for (const [i, column] of columns.entries()) {
      const position = (entries[i] as Fields).position ?? (i + 1) * 1024
      model.change(column, { position }, 'workflow.column.updated')
    }
    note(context, project)
    const data = columns.map(shown)
    return { object: 'list', url: '/v1/columns', has_more: false, next_cursor: null, data }
  },
})

export const columns = [
  createColumn,
  updateColumn,
  deleteColumn,
  reorderColumns,
  operation('columns.list', { query: in_project, run: (context) => listOf(context, 'column', isOfProject(context)) }),
  operation('columns.retrieve', { target: 'column', query: in_workspace, run: show }),
]

const head = ['id', 'object', 'created', 'updated']
shows('columns.list', [...head, 'workspace', 'project', 'name', 'position', 'color', 'status', 'revision'])

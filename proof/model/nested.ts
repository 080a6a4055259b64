/** Nested objects of tasks: comments and dependencies (contract/15#dependency). */
import { requireOpen } from './columns.ts'
import { id, oneOf, text as textForm } from './forms.ts'
import { shows } from './lists.ts'
import type { Fields, Json } from './names.ts'
import { operation } from './operation.ts'
import { badBody, conflict } from './refused.ts'
import { alive, type Realm, type Thing } from './state.ts'
import { creatorOf, in_workspace, listOf, note, remove, show } from './things.ts'

const shown = (thing: Thing) => ({ ...thing.shown })

const words = textForm(1, 65_536)

const createComment = operation('task_comments.create', {
  parent: 'task',
  body: { workspace: id('workspace'), body: words },
  needs: ['workspace', 'body'],
  weight: 3,
  run(context) {
    const { model, realm, parent, body } = context
    requireOpen(realm, parent.shown.project)
    const author = { type: 'service_user', id: model.setting.serviceUser }
    const place = { workspace: parent.shown.workspace as Json, task: parent.id }
    const fields = { ...place, body: body.body as Json, mentions: [], author, edited_at: null, revision: 1 }
    const made = model.add(realm, 'comment', { ...model.head('comment'), ...fields })
    model.recordEvent('workflow.comment.created', made)
    note(context, made)
    return shown(made)
  },
})

const updateComment = operation('task_comments.update', {
  parent: 'task',
  target: 'comment',
  body: { ...in_workspace, body: words },
  needs: ['body'],
  isGuarded: true,
  weight: 2,
  run(context) {
    const { model, realm, parent, target, body, now } = context
    requireOpen(realm, parent.shown.project)
    const isOther = target.shown.body !== body.body
    if (isOther) model.change(target, { body: body.body as Json, edited_at: now }, 'workflow.comment.updated')
    note(context, target)
    return shown(target)
  },
})

const deleteComment = operation('task_comments.delete', {
  parent: 'task',
  target: 'comment',
  query: in_workspace,
  body: in_workspace,
  isGuarded: true,
  run(context) {
    requireOpen(context.realm, context.parent.shown.project)
    return remove(context, 'workflow.comment.deleted')
  },
})

const ordered = new Set(['blocks', 'precedes'])

/** Whether dependencies lead from one task to another. */
function reaches(realm: Realm, from: Json, to: Json): boolean {
  const seen = new Set<Json>([from])
  for (const each of seen) {
    for (const { shown } of alive(realm, 'dependency')) {
      if (ordered.has(shown.kind as string) && shown.from === each) seen.add(shown.to as Json)
    }
  }
  return seen.has(to)
}

const createDependency = operation('task_dependencies.create', {
  parent: 'task',
  body: { workspace: id('workspace'), to: id('task'), kind: oneOf('blocks', 'precedes', 'relates_to', 'duplicates') },
  needs: ['workspace', 'to'],
  weight: 4,
  run(context) {
    const { model, realm, parent, body } = context
    requireOpen(realm, parent.shown.project)
    const to = model.referred(realm, 'task', body.to as string, 'to')
    const kind = (body.kind ?? 'blocks') as string
    if (to.id === parent.id) throw badBody('to')
    const { project, workspace } = parent.shown
    if (to.shown.workspace !== workspace) throw badBody('to')
    if (project === null || to.shown.project !== project) throw conflict()
    const isTwin = ({ shown }: Thing) => shown.from === parent.id && shown.to === to.id && shown.kind === kind
    if (alive(realm, 'dependency').some(isTwin)) throw conflict()
    if (ordered.has(kind) && reaches(realm, to.id, parent.id)) throw conflict()
    const fields = { workspace, project, from: parent.id, to: to.id, kind, creator: creatorOf(context) } as Fields
    const made = model.add(realm, 'dependency', { ...model.head('dependency'), ...fields })
    model.recordEvent('workflow.dependency.created', made)
    note(context, made)
    return shown(made)
  },
})

const deleteDependency = operation('task_dependencies.delete', {
  parent: 'task',
  target: 'dependency',
  query: in_workspace,
  body: in_workspace,
  run(context) {
    requireOpen(context.realm, context.parent.shown.project)
    return remove(context, 'workflow.dependency.deleted')
  },
})

export const below = [
  createComment,
  updateComment,
  deleteComment,
  operation('task_comments.list', {
    parent: 'task',
    query: in_workspace,
    run: (context) => listOf(context, 'comment'),
  }),
  operation('task_comments.retrieve', { parent: 'task', target: 'comment', query: in_workspace, run: show }),
  createDependency,
  deleteDependency,
  operation('task_dependencies.list', {
    parent: 'task',
    query: in_workspace,
    run: (context) => listOf(context, 'dependency'),
  }),
]

const head = ['id', 'object', 'created', 'updated', 'workspace']
shows('task_comments.list', [...head, 'task', 'body', 'mentions', 'author', 'edited_at', 'revision'])
shows('task_dependencies.list', [...head, 'project', 'from', 'to', 'kind', 'creator'])

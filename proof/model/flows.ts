/** Automations from outside: drafts, previews, activation. */
import { type Form, flag, id, note as noteForm, nullable, oneOf, title } from './forms.ts'
import { graph, hashOf, requireGraph, type Sample, sampleOf, text } from './graphs.ts'
import { stored } from './kinds.ts'
import { shows } from './lists.ts'
import type { Model } from './model.ts'
import { anything, type Fields, type Json } from './names.ts'
import { type Context, operation } from './operation.ts'
import { badBody, conflict, Refused } from './refused.ts'
import { alive, type Thing } from './state.ts'
import { in_project, isOfProject, listOf, note } from './things.ts'

const create = operation('automation_flows.create', {
  body: { workspace: id('workspace'), name: title, graph, project: nullable(id('project')) },
  needs: ['workspace', 'name', 'graph'],
  weight: 3,
  run(context) {
    const { model, realm, body } = context
    const workspace = model.workspaceOf(realm, body.workspace as string).id
    if (typeof body.project === 'string') model.usableProject(realm, body.project, workspace)
    requireGraph(body.graph)
    const { scopes } = sampleOf(body.graph as Json) as Sample
    const made = model.add(realm, 'automation_flow', {
      ...model.head('automation_flow'),
      workspace,
      project: body.project ?? null,
      name: body.name as Json,
      graph: body.graph as Json,
      graph_hash: hashOf(model, body.graph as Json),
      status: 'draft',
      mode: 'live',
      version: 0,
      required_scopes: [...scopes],
      uses_ai: false,
      activated_at: null,
      activated_by: null,
      paused_at: null,
      pause_reason: null,
      pause_origin: null,
      last_run_at: null,
      revision: 1,
    })
    model.recordEvent('automation.flow.created', made)
    note(context, made)
    return { ...made.shown }
  },
})

const idle = { paused_at: null, pause_reason: null, pause_origin: null }

const update = operation('automation_flows.update', {
  target: 'automation_flow',
  body: { workspace: id('workspace'), project: nullable(id('project')), name: title, graph },
  isGuarded: true,
  weight: 2,
  run(context) {
    const { model, realm, target, body } = context
    const before = target.shown
    if (before.status === 'active') throw conflict()
    if (typeof body.project === 'string' && body.project !== before.project)
      model.usableProject(realm, body.project, before.workspace as Json)
    requireGraph(body.graph)
    const fields: Fields = {}
    if ('project' in body && body.project !== before.project) fields.project = body.project as Json
    if ('name' in body && body.name !== before.name) fields.name = body.name as Json
    if (body.graph !== undefined && text(body.graph) !== text(before.graph as Json)) {
      const { scopes } = sampleOf(body.graph) as Sample
      Object.assign(fields, { graph: body.graph, graph_hash: hashOf(model, body.graph), required_scopes: [...scopes] })
    }
    note(context, target)
    if (Object.keys(fields).length === 0) return { ...before }
    for (const preview of alive(realm, 'preview')) if (preview.shown.flow === target.id) preview.isDeleted = true
    model.change(target, { ...fields, status: 'draft', ...idle }, 'automation.flow.updated')
    return { ...target.shown }
  },
})

/** The previewed run belongs to the engine; the token belongs to the flow. */
const preview = operation('automation_flows.preview', {
  target: 'automation_flow',
  body: { workspace: id('workspace'), task: id('task') },
  needs: ['workspace', 'task'],
  weight: 3,
  run(context) {
    const { model, realm, target, body, credential, now } = context
    const task = model.referred(realm, 'task', body.task as string, 'task')
    if (task.shown.workspace !== target.shown.workspace) throw badBody('task')
    const required = target.shown.required_scopes as string[]
    const preview_token = model.name('prv')
    const seen = {
      flow: target.id,
      hash: target.shown.graph_hash as Json,
      task: task.id,
      credential: credential.id,
      expires: now + 900,
    }
    model.add(realm, 'preview', { id: preview_token, ...seen })
    note(context, target)
    context.audit.force = true
    return {
      object: 'automation_preview',
      automation_flow: target.id,
      graph_hash: target.shown.graph_hash as string,
      task: task.id,
      trigger: anything,
      steps: anything,
      outcome: anything,
      required_scopes: required,
      missing_scopes: required.filter((scope) => !credential.scopes.includes(scope)),
      warnings: anything,
      ai_cost: anything,
      matches_last_7_days: anything,
      preview_token,
      expires_at: now + 900,
    }
  },
})

const token: Form = {
  good: (n, finder) => (n.chance(10) ? 'prv_x' : ((finder as Model).present('preview').at(-1)?.id ?? 'prv_x')),
  bad: ['', 5, 'x'.repeat(201)],
  faults: (value, path) => (typeof value === 'string' && value.length >= 1 && value.length <= 200 ? [] : [path]),
}

const yes: Form = { good: () => true, bad: [false, 'true', 1], faults: (value, path) => (value === true ? [] : [path]) }

function requireActivable({ realm, target, credential }: Context): void {
  const { status, project, required_scopes } = target.shown
  if (status === 'active') throw conflict()
  if (project !== null) {
    const found = realm.things.find((thing) => thing.id === project)
    if (found === undefined || found.isDeleted || found.shown.status === 'archived') throw conflict()
  }
  if ((required_scopes as string[]).some((scope) => !credential.scopes.includes(scope)))
    throw new Refused('insufficient_scope')
}

const activate = operation('automation_flows.activate', {
  target: 'automation_flow',
  body: {
    workspace: id('workspace'),
    preview_token: token,
    scope_acknowledged: yes,
    ai_cost_acknowledged: flag,
    mode: oneOf('live', 'shadow'),
  },
  needs: ['workspace', 'preview_token', 'scope_acknowledged'],
  weight: 3,
  run(context) {
    const { model, realm, target, body, credential, now } = context
    requireActivable(context)
    const seen = alive(realm, 'preview').find((each) => each.id === body.preview_token)
    const { shown } = seen ?? { shown: {} as Fields }
    const task = realm.things.find((thing) => thing.id === shown.task)
    const isGood =
      shown.flow === target.id && shown.hash === target.shown.graph_hash && shown.credential === credential.id
    if (!isGood || Number(shown.expires) <= now || task === undefined || task.isDeleted) throw conflict('preview_token')
    ;(seen as Thing).isDeleted = true
    const by = { type: credential.owner.type, id: credential.owner.id }
    const version = (target.shown.version as number) + 1
    const fields = {
      status: 'active',
      mode: (body.mode as Json) ?? 'live',
      version,
      activated_at: now,
      activated_by: by,
      ...idle,
    }
    model.change(target, fields, 'automation.flow.activated')
    note(context, target)
    return { ...target.shown }
  },
})

const pause = operation('automation_flows.pause', {
  target: 'automation_flow',
  body: { workspace: id('workspace'), reason: noteForm },
  needs: ['workspace'],
  weight: 2,
  run(context) {
    const { model, target, body, now } = context
    if (target.shown.status !== 'active') throw conflict()
    const reason = stored(body.reason)
    model.change(
      target,
      { status: 'paused', paused_at: now, pause_reason: reason, pause_origin: 'user' },
      'automation.flow.paused',
    )
    note(context, target)
    context.audit.reason = reason as string | null
    return { ...target.shown }
  },
})

export const flows = [
  create,
  update,
  preview,
  activate,
  pause,
  operation('automation_flows.list', {
    query: in_project,
    run: (context) => listOf(context, 'automation_flow', isOfProject(context)),
  }),
  operation('automation_flows.retrieve', {
    target: 'automation_flow',
    query: { workspace: id('workspace') },
    run: ({ target }) => ({ ...target.shown }),
  }),
]

shows('automation_flows.list', [
  ...[
    'id',
    'object',
    'created',
    'updated',
    'workspace',
    'project',
    'name',
    'graph',
    'graph_hash',
    'status',
    'mode',
    'version',
  ],
  ...[
    'required_scopes',
    'uses_ai',
    'activated_at',
    'activated_by',
    'paused_at',
    'pause_reason',
    'pause_origin',
    'last_run_at',
    'revision',
  ],
])

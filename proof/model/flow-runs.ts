/** Runs of automations from outside: started, listed, cancelled. What they do is modelled coarsely. */
import { id } from './forms.ts'
import { cursorPage } from './lists.ts'
import type { Model } from './model.ts'
import type { Fields, Json } from './names.ts'
import { type Answer, type Context, operation } from './operation.ts'
import { badQuery, conflict } from './refused.ts'
import { alive, type Thing } from './state.ts'
import { note } from './things.ts'

/** A run started by a user, which no worker carries out here. */
export function beginRun(model: Model, flow: Thing, task: Thing, run: Fields): Thing {
  const usage = {
    steps: 0,
    http_requests: 0,
    ai_requests: 0,
    ai_input_tokens: 0,
    ai_output_tokens: 0,
    ai_cost_minor: 0,
  }
  return model.add(model.realm('live'), 'automation_run', {
    ...run,
    workspace: flow.shown.workspace as Json,
    automation_flow: flow.id,
    flow_version: flow.shown.version as Json,
    mode: flow.shown.mode as Json,
    task: task.id,
    trigger: { type: 'trigger.manual', node: 'by_hand', event: null },
    status: 'queued',
    status_reason: null,
    current_node: null,
    attempt: 0,
    wake_at: null,
    started_at: null,
    ended_at: null,
    canceled_by: null,
    depth: 0,
    usage,
    failure: null,
    steps: [],
  })
}

const cancel = operation('automation_runs.cancel', {
  target: 'automation_run',
  body: { workspace: id('workspace') },
  needs: ['workspace'],
  weight: 2,
  run(context) {
    const { model, target, credential, now } = context
    if (target.shown.status !== 'queued') throw conflict()
    const canceled_by = { type: credential.owner.type, id: credential.owner.id }
    model.change(
      target,
      { status: 'canceled', status_reason: 'canceled', ended_at: now, canceled_by },
      'automation.run.canceled',
    )
    note(context, target)
    return { ...target.shown }
  },
})

function listRuns(context: Context): Answer {
  const { model, realm, query } = context
  const { workspace, automation_flow, task } = query
  if (automation_flow !== undefined && model.seek(realm, 'automation_flow', automation_flow) === undefined)
    throw badQuery('automation_flow')
  const about = task === undefined ? undefined : model.seek(realm, 'task', task)
  if (task !== undefined && about === undefined) throw badQuery('task')
  const rows = alive(realm, 'automation_run').filter(
    ({ shown }) =>
      shown.workspace === workspace &&
      (automation_flow === undefined || shown.automation_flow === automation_flow) &&
      (about === undefined || shown.task === about.id),
  )
  return cursorPage(context, rows.reverse(), [workspace ?? null, automation_flow ?? null, about?.id ?? null])
}

export const flowRuns = [
  operation('automation_runs.list', {
    query: { workspace: id('workspace'), automation_flow: id('automation_flow'), task: id('task') },
    needsQuery: ['workspace'],
    weight: 2,
    run: listRuns,
  }),
  operation('automation_runs.retrieve', {
    target: 'automation_run',
    query: { workspace: id('workspace') },
    needsQuery: ['workspace'],
    run: ({ target }) => ({ ...target.shown }),
  }),
  cancel,
]

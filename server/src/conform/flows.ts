/** Objects of automations that take several calls to create: a previewed flow, an active flow, a run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { at, type Client, codeOf, items, skip } from './client.ts'
import { conformLimits } from './conform-limits.ts'

/** The part of the stock that this file uses; the stock imports this file. */
interface Stock {
  readonly created: readonly { readonly object: string; readonly id: string }[]
  thing(name: string): Promise<unknown>
  make(name: string): Promise<unknown>
  replace(name: string, object: unknown): void
  note(object: string, id: string, path: string | null): void
}

export const flow_things: ReadonlySet<string> = new Set([
  ...[
    'previewed_flow',
    'active_flow',
    'others_flow',
    'hooked_flow',
    'formed_flow',
    'mailed_flow',
    'automation_run',
    'ended_run',
    'automation_approval',
  ],
])

/** Creates one of `flow_things`. */
export async function makeFlowThing(stock: Stock, client: Client, name: string): Promise<unknown> {
  if (name === 'automation_run') return await makeRun(stock, client)
  if (name === 'ended_run') return await makeEndedRun(stock, client)
  if (name === 'automation_approval') return await makeApproval(stock, client)
  if (name === 'hooked_flow') return await makeHookedFlow(stock, client)
  if (name === 'formed_flow') return await makeFormedFlow(stock, client)
  if (name === 'mailed_flow') return await makeMailedFlow(stock, client)
  if (name === 'others_flow') return await makeOthersFlow(stock, client)
  const flow = await stock.make('automation_flow')
  const token = await preview(stock, client, flow)
  if (name === 'active_flow') await activate(client, flow, token)
  return flow
}

async function post(client: Client, path: string, body: unknown, key = client.key): Promise<unknown> {
  const reply = await client.send('POST', path, { body, key })
  if (reply.status !== 200) skip(`POST ${path} answered ${reply.status} ${codeOf(reply)}`)
  return reply.body
}

/** Previews a flow and binds `{preview_token}` to its token. */
async function preview(stock: Stock, client: Client, flow: unknown, key = client.key): Promise<string> {
  const body = { workspace: at(flow, 'workspace'), task: at(await stock.thing('task'), 'id') }
  const previewed = await post(client, `/v1/automation_flows/${at(flow, 'id')}/preview`, body, key)
  const token = String(at(previewed, 'preview_token'))
  stock.replace('preview_token', { id: token })
  return token
}

async function activate(client: Client, flow: unknown, preview_token: string, key = client.key): Promise<void> {
  const body = { workspace: at(flow, 'workspace'), preview_token, scope_acknowledged: true }
  await post(client, `/v1/automation_flows/${at(flow, 'id')}/activate`, body, key)
}

/** An active flow with an address for incoming webhooks. */
async function makeHookedFlow(stock: Stock, client: Client): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const nodes = [
    { id: 'received', type: 'trigger.webhook', config: {} },
    { id: 'file', type: 'task.create', config: { set: { title: 'Look at the request' } } },
  ]
  const graph = { schema_version: 3, nodes, edges: [{ source: 'received', target: 'file' }] }
  return await activeFlow(stock, client, { workspace, name: 'Take requests', graph })
}

/** An active flow with a public form. */
async function makeFormedFlow(stock: Stock, client: Client): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const fields = [{ key: 'title', label: 'What is it about?', kind: 'short_text' }]
  const nodes = [
    { id: 'asked', type: 'trigger.form', config: { title: 'Ask us', fields } },
    { id: 'file', type: 'task.create', config: { set: { title: 'Look at the answers' } } },
  ]
  const graph = { schema_version: 5, nodes, edges: [{ source: 'asked', target: 'file' }] }
  return await activeFlow(stock, client, { workspace, name: 'Take answers', graph })
}

/** An active flow that mail starts. */
async function makeMailedFlow(stock: Stock, client: Client): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const nodes = [
    { id: 'received', type: 'trigger.mail', config: {} },
    { id: 'file', type: 'task.create', config: { set: { title: 'Look at the mail' } } },
  ]
  const graph = { schema_version: 6, nodes, edges: [{ source: 'received', target: 'file' }] }
  return await activeFlow(stock, client, { workspace, name: 'Take mail', graph })
}

/** An active flow that needs no scopes and acts with the rights of another key, so that each key may renew its authority. */
async function makeOthersFlow(stock: Stock, client: Client): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const nodes = [
    { id: 'mondays', type: 'trigger.schedule', config: { cron: '0 9 * * MON', timezone: 'UTC' } },
    { id: 'rest', type: 'delay', config: { seconds: 60 } },
  ]
  const graph = { schema_version: 1, nodes, edges: [{ source: 'mondays', target: 'rest' }] }
  const key = await post(client, '/v1/api_keys', { name: 'Activates', scopes: ['automations:write'] })
  stock.note('api_key', String(at(key, 'id')), `/v1/api_keys/${at(key, 'id')}`)
  return await activeFlow(stock, client, { workspace, name: 'Rest on Mondays', graph }, String(at(key, 'secret')))
}

async function activeFlow(stock: Stock, client: Client, body: object, key = client.key): Promise<unknown> {
  const flow = await post(client, '/v1/automation_flows', body)
  stock.note('automation_flow', String(at(flow, 'id')), null)
  await activate(client, flow, await preview(stock, client, flow, key), key)
  return flow
}

/** A sleeping run: a change of a task starts it, and it then waits for a day. */
async function makeRun(stock: Stock, client: Client): Promise<unknown> {
  const rest = { id: 'rest', type: 'delay', config: { seconds: 86_400 } }
  return await sleepingRun(stock, client, 'Rest after a change', rest, 1)
}

/** A run that was canceled while it slept. */
async function makeEndedRun(stock: Stock, client: Client): Promise<unknown> {
  const run = await makeRun(stock, client)
  return await post(client, `/v1/automation_runs/${at(run, 'id')}/cancel`, { workspace: at(run, 'workspace') })
}

/** A pending approval that asks the user of the key. */
async function makeApproval(stock: Stock, client: Client): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const path = `/v1/tasks/${at(await stock.thing('task'), 'id')}/comments`
  const people = [at(await post(client, path, { workspace, body: 'Who am I?' }), 'author', 'id')]
  const ask = { id: 'ask', type: 'approval.wait', config: { people, text: 'May we order the sails?' } }
  const run = await sleepingRun(stock, client, 'Ask after a change', ask, 4)
  const [approval] = items(await client.send('GET', `/v1/automation_approvals?automation_run=${at(run, 'id')}`))
  return approval ?? skip('a run that asks for an approval has none')
}

/** A run that a change of a task has started, and that sleeps in this step. */
async function sleepingRun(
  stock: Stock,
  client: Client,
  name: string,
  step: { readonly id: string },
  schema_version: number,
): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const project = at(await stock.make('project'), 'id')
  const changed = { id: 'changed', type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } }
  const graph = { schema_version, nodes: [changed, step], edges: [{ source: 'changed', target: step.id }] }
  const flow = await post(client, '/v1/automation_flows', { workspace, project, name, graph })
  stock.note('automation_flow', String(at(flow, 'id')), null)
  await activate(client, flow, await preview(stock, client, flow))
  const task = String(at(await post(client, '/v1/tasks', { workspace, project, title: 'Change me' }), 'id'))
  stock.note('task', task, `/v1/tasks/${task}`)
  await client.send('PATCH', `/v1/tasks/${task}`, { body: { priority: 'high' } })
  const path = `/v1/automation_runs?workspace=${workspace}&automation_flow=${at(flow, 'id')}`
  for (let waited = 0; waited < conformLimits.run_wait_ms; waited += conformLimits.run_pause_ms) {
    const [run] = items(await client.send('GET', path))
    if (at(run, 'status') === 'sleeping') return run
    await sleep(conformLimits.run_pause_ms)
  }
  return skip('no run of an active flow began: does the server run its workers?')
}

/** Pauses the active flows of the stock: the API cannot delete flows. */
export async function pauseFlows(stock: Stock, client: Client): Promise<void> {
  for (const { object, id } of stock.created) {
    if (object !== 'automation_flow') continue
    const { body } = await client.send('GET', `/v1/automation_flows/${id}`)
    if (at(body, 'status') !== 'active') continue
    await client.send('POST', `/v1/automation_flows/${id}/pause`, { body: { workspace: at(body, 'workspace') } })
  }
}

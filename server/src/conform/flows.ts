/** Things of automations that take several calls to make: a previewed flow, an active one, a run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { at, type Client, codeOf, items, Skip } from './client.ts'
import { conformLimits } from './conform-limits.ts'

/** What these need of the stock. */
interface Shelf {
  readonly created: readonly { readonly object: string; readonly id: string }[]
  thing(name: string): Promise<unknown>
  make(name: string): Promise<unknown>
  replace(name: string, object: unknown): void
  note(object: string, id: string, path: string | null): void
}

export const flow_things: ReadonlySet<string> = new Set(['previewed_flow', 'active_flow', 'automation_run'])

/** Makes one of `flow_things`. */
export async function makeFlowThing(stock: Shelf, client: Client, name: string): Promise<unknown> {
  if (name === 'automation_run') return await makeRun(stock, client)
  const flow = await stock.make('automation_flow')
  const token = await preview(stock, client, flow)
  if (name === 'previewed_flow') return flow
  await activate(client, flow, token)
  return flow
}

async function post(client: Client, path: string, body: unknown): Promise<unknown> {
  const reply = await client.send('POST', path, { body })
  if (reply.status !== 200) throw new Skip(`POST ${path} answered ${reply.status} ${codeOf(reply)}`)
  return reply.body
}

/** Its token stands for `{preview_token}` from then on. */
async function preview(stock: Shelf, client: Client, flow: unknown): Promise<string> {
  const workspace = at(flow, 'workspace')
  const task = at(await stock.thing('task'), 'id')
  const seen = await post(client, `/v1/automation_flows/${at(flow, 'id')}/preview`, { workspace, task })
  const token = String(at(seen, 'preview_token'))
  stock.replace('preview_token', { id: token })
  return token
}

async function activate(client: Client, flow: unknown, preview_token: string): Promise<void> {
  const body = { workspace: at(flow, 'workspace'), preview_token, scope_acknowledged: true }
  await post(client, `/v1/automation_flows/${at(flow, 'id')}/activate`, body)
}

/** A run that waits: of a flow that a change of its own project's tasks starts, and that then sleeps for a day. */
async function makeRun(stock: Shelf, client: Client): Promise<unknown> {
  const workspace = at(await stock.thing('workspace'), 'id')
  const project = at(await stock.make('project'), 'id')
  const nodes = [
    { id: 'changed', type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } },
    { id: 'rest', type: 'delay', config: { seconds: 86_400 } },
  ]
  const graph = { schema_version: 1, nodes, edges: [{ source: 'changed', target: 'rest' }] }
  const made = { workspace, project, name: 'Rest after a change', graph }
  const flow = await post(client, '/v1/automation_flows', made)
  stock.note('automation_flow', String(at(flow, 'id')), null)
  await activate(client, flow, await preview(stock, client, flow))
  const task = await post(client, '/v1/tasks', { workspace, project, title: 'Change me' })
  stock.note('task', String(at(task, 'id')), `/v1/tasks/${at(task, 'id')}`)
  await client.send('PATCH', `/v1/tasks/${at(task, 'id')}`, { body: { priority: 'high' } })
  const path = `/v1/automation_runs?workspace=${workspace}&automation_flow=${at(flow, 'id')}`
  for (let waited = 0; waited < conformLimits.run_wait_ms; waited += conformLimits.run_pause_ms) {
    const [run] = items(await client.send('GET', path))
    if (at(run, 'status') === 'sleeping') return run
    await sleep(conformLimits.run_pause_ms)
  }
  throw new Skip('no run of an active flow began: does the server run its workers?')
}

/** A flow cannot be removed: what is active is paused. */
export async function pauseFlows(stock: Shelf, client: Client): Promise<void> {
  for (const { object, id } of stock.created) {
    if (object !== 'automation_flow') continue
    const { body } = await client.send('GET', `/v1/automation_flows/${id}`)
    if (at(body, 'status') !== 'active') continue
    await client.send('POST', `/v1/automation_flows/${id}/pause`, { body: { workspace: at(body, 'workspace') } })
  }
}

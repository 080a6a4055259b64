/**
 * The installation that every seed begins with: an organization with keys, webhook endpoints and active flows, created once by
 * the product in a simulation.
 */
import { scopes } from '../../server/src/api/declare/scopes.ts'
import type { OpenServices } from '../../server/src/main.ts'
import { issueCredential } from '../../server/src/resources/api_keys/issue.ts'
import { foundOrganization } from '../../server/src/resources/organizations/found.ts'
import { Client } from './clients.ts'
import { hosts, type Installed } from './installation.ts'
import type { World } from './world.ts'

/** Founds the organization; everything else is requested through the API. */
export async function found(services: OpenServices): Promise<Pick<Installed, 'organization' | 'realm' | 'keys'>> {
  const founding = { name: 'Acme', ownerEmail: 'owner@acme.example', plan: 'enterprise', domains: [] } as const
  const { organization, realms } = await foundOrganization(services, founding)
  const realm = realms.live
  const issue = { kind: 'api_key', organization, realm, mode: 'live', scopes, expiresAt: null } as const
  const owner = { type: 'organization', id: organization } as const
  const key = async (name: string) =>
    await services.store.write('system', async (tx) => {
      return issueCredential(tx, services.sealer, { ...issue, owner, name }, services.clock.now()).secret
    })
  const keys = { clients: await key('Clients'), admin: await key('Admin'), greedy: await key('Greedy') }
  return { organization, realm, keys }
}

/** Comments, calls, waits and comments again when a task with the label `auto` is created. */
const event_graph = {
  schema_version: 1,
  settings: { max_runs_per_hour: 3600 },
  nodes: [
    {
      id: 'made',
      type: 'trigger.event',
      config: { event_types: ['workflow.task.created'], when: "'auto' in event.data.object.labels" },
    },
    { id: 'first', type: 'task.comment', config: { body: { $template: 'first {{ run.id }}' } } },
    {
      id: 'call',
      type: 'http.request',
      retry: { max_attempts: 10, initial_seconds: 1, backoff: 2, max_seconds: 8, jitter: 'full' },
      config: {
        method: 'POST',
        url: `https://${hosts.steps}/call`,
        body: { task: { $expr: 'task.id' } },
        output: 'json',
      },
    },
    { id: 'label', type: 'task.label', config: { add: ['seen'] } },
    { id: 'wait', type: 'delay', config: { seconds: 2 } },
    { id: 'last', type: 'task.comment', config: { body: { $template: 'last {{ run.id }}' } } },
  ],
  edges: [
    { source: 'made', target: 'first' },
    { source: 'first', target: 'call' },
    { source: 'call', target: 'label' },
    { source: 'label', target: 'wait' },
    { source: 'wait', target: 'last' },
  ],
}

/** Creates a task every five minutes. */
const clock_graph = {
  schema_version: 1,
  settings: { max_runs_per_hour: 3600 },
  nodes: [
    { id: 'clock', type: 'trigger.schedule', config: { cron: '*/5 * * * *', timezone: 'UTC' } },
    { id: 'make', type: 'task.create', config: { set: { title: { $template: 'tick {{ run.id }}' } } } },
  ],
  edges: [{ source: 'clock', target: 'make' }],
}

/** Workspace, project, webhook endpoints and active flows. */
export async function furnish(world: World): Promise<Installed> {
  const client = new Client(world, 'template', world.installed.keys.admin)
  const make = async (url: string, body: object) => await client.perform({ method: 'POST', url, body })
  const workspace = (await make('/v1/workspaces', { title: 'Work' })).id
  const project = (await make('/v1/projects', { workspace, name: 'Launch' })).id
  const task = (await make('/v1/tasks', { workspace, title: 'First' })).id
  const types = {
    all: '*',
    tasks: 'workflow.task.*',
    failing: 'workflow.task.completed',
    hanging: 'workflow.task.deleted',
  }
  for (const [name, type] of Object.entries(types)) {
    const url = `https://${hosts[name as keyof typeof types]}/hook`
    await make('/v1/webhook_endpoints', { url, event_types: [type] })
  }
  const activate = async (graph: object) => {
    const { id } = await make('/v1/automation_flows', { workspace, name: 'A flow', graph })
    const { preview_token } = await make(`/v1/automation_flows/${id}/preview`, { workspace, task })
    const body = { workspace, preview_token, scope_acknowledged: true }
    await make(`/v1/automation_flows/${id}/activate`, body)
    return id
  }
  const flows = { event: await activate(event_graph), clock: await activate(clock_graph) }
  const { data } = await client.perform({ method: 'GET', url: '/v1/events?limit=1' })
  return { ...world.installed, workspace, project, flows, last: { id: data[0].id, sequence: data[0].sequence } }
}

/** Creates an object of each name, in the order of their dependencies. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { commitSystemChange } from '../src/api/write/system-change.ts'
import { query } from '../src/db/query.ts'
import { newId } from '../src/lib/ids.ts'
import { entryId, writeEntry } from '../src/notifications/entries.ts'
import { showAutomationApproval } from '../src/resources/automation_approvals/automation_approval.ts'
import { automationApprovalRequested } from '../src/resources/automation_approvals/events.ts'
import { startByHand } from '../src/resources/automation_runs/start-by-hand.ts'
import { importBoard } from '../src/resources/board_items/import.ts'
import { addMember } from '../src/resources/members/write.ts'
import { addTeam } from '../src/resources/teams/write.ts'
import { newDelivery } from '../src/resources/webhook_endpoints/shared/deliveries.ts'
import type { Things } from './things.ts'

interface Maker {
  /** The operation that must exist to create it. */
  readonly needs: string | null
  /** Whether one object is shared by all reads and references. Others are created for each call. */
  readonly shared: boolean
  readonly make: (things: Things) => Promise<string>
}

const organizationOf = query<{ service_user: string }, { id: string }>((db, p) =>
  db.selectFrom('organizations').select('service_user').where('organization', '=', p('id')),
)

/** A pending approval of a run, which asks the sender. */
async function approval(things: Things): Promise<string> {
  const { world, organization, mode } = things
  const { realm } = things
  const now = world.clock.now()
  const change = { organization: organization.id, realms: [{ realm, mode }], action: 'automation_approvals.request' }
  return await commitSystemChange(world.services, change, async ({ tx, emit }) => {
    const { service_user } = (await tx.first(organizationOf, { id: organization.id })) as { service_user: string }
    const nothing = {
      deleted_at: null,
      task: null,
      decided_by: null,
      comment: null,
      decided_at: null,
      expires_at: null,
    }
    const row = {
      ...{ realm, id: newId('apr', now), created: now, updated: now, revision: 1 },
      ...{ workspace: things.id('workspace'), automation_flow: things.id('active_flow') },
      ...{ automation_run: things.id('automation_run'), node: `ask_${++count}`, path: '', status: 'pending' },
      ...{ asked: JSON.stringify([things.person ?? service_user]), text: 'May we order the sails?', ...nothing },
    }
    tx.insert('automation_approvals', row)
    emit(automationApprovalRequested, showAutomationApproval(row))
    return row.id
  })
}

/** Makes names unique. */
let count = 0

function made(needs: string | null, make: Maker['make']): Maker {
  return { needs, shared: true, make }
}

/** An object created by a POST. */
function posted(needs: string, path: (things: Things) => string, body: (things: Things, n: number) => object): Maker {
  return made(needs, async (things) => (await things.make(path(things), body(things, ++count))).id)
}

function project(things: Things, n: number): object {
  return { workspace: things.id('workspace'), name: `Launch ${n}`, description: 'In spring' }
}

function realm({ organization, mode }: Things) {
  return { organization: organization.id, realm: organization.realms[mode], mode }
}

function newMember(things: Things) {
  const person = { email: `person${++count}@example.com`, first_name: 'Ada', role: 'engineer' }
  return addMember(things.world.services, things.organization.id, person)
}

async function newUser(things: Things): Promise<string> {
  return (await newMember(things)).user
}

/** An Excalidraw file of boxes. */
function drawing(boxes: number): Buffer {
  const elements = Array.from({ length: boxes }, (_, i) => ({
    id: `box${i}`,
    type: 'rectangle',
    x: i * 10,
    y: 0,
    width: 8,
    height: 8,
    angle: 0,
  }))
  return Buffer.from(JSON.stringify({ type: 'excalidraw', version: 2, elements }))
}

let receiving: Promise<string> | null = null

/** The URL of a server that accepts every webhook. It ends with the process. */
function receiver(): Promise<string> {
  receiving ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(204).end()
    })
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`))
    server.unref()
  })
  return receiving
}

async function runningEntry(things: Things): Promise<string> {
  await things.stopRunning()
  const body = { workspace: things.id('workspace'), task: things.id('task') }
  return (await things.make('/v1/time_entries/start', body)).id
}

function task(things: Things, n: number): object {
  return {
    workspace: things.id('workspace'),
    project: things.ids.project ?? null,
    column: things.ids.column ?? null,
    title: `Draft the report ${n}`,
    labels: ['q3'],
    custom_fields: { effort: n },
  }
}

/** A flow that is started by hand and comments on its task. */
function flow(things: Things, n: number): object {
  const nodes = [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'say', type: 'task.comment', config: { body: { $template: '{{ task.key }} was looked at' } } },
  ]
  const graph = {
    schema_version: 1,
    nodes,
    edges: [{ source: 'by_hand', target: 'say' }],
    settings: { max_runs_per_hour: 3600 },
  }
  return { workspace: things.id('workspace'), project: things.ids.project ?? null, name: `Look at it ${n}`, graph }
}

/** A flow that needs no scopes. */
function scopelessFlow(things: Things, n: number): object {
  const nodes = [
    { id: 'mondays', type: 'trigger.schedule', config: { cron: '0 9 * * MON', timezone: 'Europe/Berlin' } },
    { id: 'ring', type: 'http.request', config: { method: 'POST', url: 'https://example.com/ring' } },
  ]
  const graph = { schema_version: 1, nodes, edges: [{ source: 'mondays', target: 'ring' }] }
  return { workspace: things.id('workspace'), name: `Ring on Mondays ${n}`, graph }
}

/** Previews a flow with this key. Returns the token. */
async function preview(things: Things, id: string, key: string): Promise<string> {
  const body = { workspace: things.id('workspace'), task: things.id('task') }
  return (await things.world.make(`/v1/automation_flows/${id}/preview`, body, { key })).preview_token
}

/** A flow previewed by the sender of the call. The token is stored as `preview_token`. */
async function previewedFlow(things: Things): Promise<string> {
  const { id } = await things.make('/v1/automation_flows', scopelessFlow(things, ++count))
  things.ids.preview_token = await preview(things, id, things.sender)
  return id
}

async function activeFlow(things: Things): Promise<string> {
  return await activated(things, flow(things, ++count))
}

/** A flow with an address for incoming webhooks. */
async function hookedFlow(things: Things): Promise<string> {
  const nodes = [
    { id: 'received', type: 'trigger.webhook', config: {} },
    { id: 'file', type: 'task.create', config: { set: { title: 'Look at the request' } } },
  ]
  const graph = { schema_version: 3, nodes, edges: [{ source: 'received', target: 'file' }] }
  return await activated(things, { workspace: things.id('workspace'), name: `Take requests ${++count}`, graph })
}

/** A flow with a public form. */
async function formedFlow(things: Things): Promise<string> {
  const fields = [{ key: 'title', label: 'What is it about?', kind: 'short_text', required: true }]
  const nodes = [
    { id: 'asked', type: 'trigger.form', config: { title: 'Ask us', fields } },
    { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'form.title' } } } },
  ]
  const graph = { schema_version: 5, nodes, edges: [{ source: 'asked', target: 'file' }] }
  return await activated(things, { workspace: things.id('workspace'), name: `Take answers ${++count}`, graph })
}

/** A flow that mail starts. */
async function mailedFlow(things: Things): Promise<string> {
  const nodes = [
    { id: 'received', type: 'trigger.mail', config: {} },
    { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'mail.subject' } } } },
  ]
  const graph = { schema_version: 6, nodes, edges: [{ source: 'received', target: 'file' }] }
  return await activated(things, { workspace: things.id('workspace'), name: `Take mail ${++count}`, graph })
}

/** A flow that needs no scopes and acts with the rights of another key. */
async function othersFlow(things: Things): Promise<string> {
  const { secret } = await things.world.key({ mode: things.mode }, things.organization)
  return await activated(things, scopelessFlow(things, ++count), secret)
}

async function activated(things: Things, body_of_flow: object, key = things.key): Promise<string> {
  const { id } = await things.make('/v1/automation_flows', body_of_flow)
  const preview_token = await preview(things, id, key)
  const body = { workspace: things.id('workspace'), preview_token, scope_acknowledged: true }
  await things.world.make(`/v1/automation_flows/${id}/activate`, body, { key })
  return id
}

export const makers: Readonly<Record<string, Maker>> = {
  organization: made(null, async (things) => things.organization.id),
  user: made(null, async (things) => things.organization.user),
  member: made(null, async (things) => (await newMember(things)).id),
  team: made(
    'teams.list',
    async (things) =>
      (await addTeam(things.world.services, things.organization.id, { name: `Team ${++count}`, description: 'Ours' }))
        .id,
  ),
  team_member: made('team_members.create', async (things) => {
    const user = await newUser(things)
    return (await things.make(`/v1/teams/${things.id('team')}/members`, { user })).user
  }),
  request: made(null, async (things) => String((await things.send('GET', '/v1')).headers['x-request-id'])),
  request_log: made(null, async (things) => String((await things.send('GET', '/v1')).headers['x-request-id'])),
  /** A request of the sender that created a task. */
  other_change: {
    needs: 'tasks.create',
    shared: false,
    make: async (things) => {
      const reply = await things.send('POST', '/v1/tasks', { key: things.sender, body: task(things, ++count) })
      return String(reply.headers['x-request-id'])
    },
  },
  api_key: posted(
    'api_keys.create',
    () => '/v1/api_keys',
    (_, n) => ({ name: `Deploys ${n}`, scopes: ['api:read'] }),
  ),
  other_user: { needs: null, shared: false, make: newUser },
  board: posted(
    'boards.create',
    () => '/v1/boards',
    (_, n) => ({ name: `Map ${n}`, description: 'Where everything is' }),
  ),
  /** A member of the shared board, identified by its user. */
  board_member: made('board_members.create', async (things) => {
    const user = await newUser(things)
    return (await things.make(`/v1/boards/${things.id('board')}/members`, { user, role: 'editor' })).user
  }),
  board_comment: posted(
    'board_comments.create',
    (things) => `/v1/boards/${things.id('board')}/comments`,
    (_, n) => ({ body: `Is ${n} right?`, position: { x: n, y: -n } }),
  ),
  board_link: posted(
    'board_links.create',
    (things) => `/v1/boards/${things.id('board')}/links`,
    (_, n) => ({ name: `Workshop ${n}`, role: 'viewer' }),
  ),
  resolved_thread: made('board_comments.resolve', async (things) => {
    const board = things.id('board')
    const { id } = await things.make(`/v1/boards/${board}/comments`, { body: 'Settled', position: { x: 0, y: 0 } })
    return (await things.make(`/v1/boards/${board}/comments/${id}/resolve`, {})).id
  }),
  board_item: made('board_items.list', async (things) => {
    const board = things.id('board')
    const path = `/v1/boards/${board}/items`
    const { data } = (await things.send('GET', path)).body
    // An import of the same drawing would give the shared item again.
    if (data.length > 0) return (await things.make(path, { items: [{ type: 'text', text: 'Note' }] })).data[0].id
    await importBoard(things.world.services, { ...realm(things), board, file: drawing(25) })
    return (await things.send('GET', path)).body.data[0].id
  }),
  workspace: posted(
    'workspaces.create',
    () => '/v1/workspaces',
    (_, n) => ({ title: `Research ${n}` }),
  ),
  other_workspace: posted(
    'workspaces.create',
    () => '/v1/workspaces',
    (_, n) => ({ title: `Elsewhere ${n}` }),
  ),
  custom_field: posted(
    'custom_fields.create',
    () => '/v1/custom_fields',
    (things, n) => ({ workspace: things.id('workspace'), key: `points_${n}`, name: `Points ${n}`, type: 'number' }),
  ),
  portfolio: posted(
    'portfolios.create',
    () => '/v1/portfolios',
    (things, n) => ({ workspace: things.id('workspace'), name: `Next year ${n}` }),
  ),
  project: posted(
    'projects.create',
    () => '/v1/projects',
    (things, n) => ({ ...project(things, n), portfolio: things.id('portfolio') }),
  ),
  other_project: posted('projects.create', () => '/v1/projects', project),
  column: posted(
    'columns.create',
    () => '/v1/columns',
    (things, n) => ({ workspace: things.id('workspace'), project: things.id('project'), name: `Doing ${n}` }),
  ),
  task: posted('tasks.create', () => '/v1/tasks', task),
  other_task: posted('tasks.create', () => '/v1/tasks', task),
  comment: posted(
    'task_comments.create',
    (things) => `/v1/tasks/${things.id('task')}/comments`,
    (things, n) => ({ workspace: things.id('workspace'), body: `Looks good ${n}` }),
  ),
  dependency: made('task_dependencies.create', async (things) => {
    const body = { workspace: things.id('workspace'), to: await things.fresh('other_task') }
    return (await things.make(`/v1/tasks/${things.id('task')}/dependencies`, body)).id
  }),
  time_entry: posted(
    'time_entries.create',
    () => '/v1/time_entries',
    (things, n) => ({
      workspace: things.id('workspace'),
      task: things.id('task'),
      started_at: 1_785_800_000 + n,
      duration_ms: 60_000,
    }),
  ),
  saved_filter: posted(
    'saved_filters.create',
    () => '/v1/saved_filters',
    (things, n) => ({ workspace: things.id('workspace'), name: `Mine ${n}`, filter: 'priority = high' }),
  ),
  task_template: posted(
    'task_templates.create',
    () => '/v1/task_templates',
    (things, n) => ({ workspace: things.id('workspace'), name: `Release ${n}`, defaults: { title: 'Cut it' } }),
  ),
  expense: posted(
    'expenses.create',
    () => '/v1/expenses',
    (things, n) => ({
      workspace: things.id('workspace'),
      category: 'Travel',
      expense_date: '2026-08-03',
      currency: 'EUR',
      gross_amount_minor: 1000 + n,
      extra_fields: { trip: n },
    }),
  ),
  billing_rate: made('billing_rates.create', async (things) => {
    const target = await things.fresh('other_project')
    const body = { workspace: things.id('workspace'), scope: 'project', target, currency: 'EUR', amount_minor: 9500 }
    return (await things.make('/v1/billing_rates', body)).id
  }),
  invoice_draft: posted(
    'invoice_drafts.create',
    () => '/v1/invoice_drafts',
    (things, n) => ({
      workspace: things.id('workspace'),
      project: things.id('project'),
      currency: 'EUR',
      net_amount_minor: 100,
      tax_amount_minor: n,
      gross_amount_minor: 100 + n,
    }),
  ),
  export_job: posted(
    'exports.create',
    () => '/v1/exports',
    () => ({ resource: 'tasks' }),
  ),
  automation_flow: posted('automation_flows.create', () => '/v1/automation_flows', flow),
  previewed_flow: { needs: 'automation_flows.preview', shared: false, make: previewedFlow },
  active_flow: made('automation_flows.activate', activeFlow),
  others_flow: { needs: 'automation_flows.renew_authority', shared: false, make: othersFlow },
  hooked_flow: made('automation_flows.activate', hookedFlow),
  formed_flow: made('automation_flows.activate', formedFlow),
  mailed_flow: made('automation_flows.activate', mailedFlow),
  automation_run: made(
    'automation_runs.list',
    async (things) => (await startByHand(things.world.services, things.id('active_flow'), things.id('task'))).id,
  ),
  ended_run: made('automation_runs.rerun', async (things) => {
    const { id } = await startByHand(things.world.services, things.id('active_flow'), things.id('task'))
    await things.make(`/v1/automation_runs/${id}/cancel`, { workspace: things.id('workspace') })
    return id
  }),
  automation_approval: made('automation_approvals.retrieve', approval),
  receiver: made(null, () => receiver()),
  webhook_endpoint: posted(
    'webhook_endpoints.create',
    () => '/v1/webhook_endpoints',
    (things) => ({ url: things.id('receiver'), event_types: ['*'] }),
  ),
  delivery: made('deliveries.list', async (things) => {
    const now = things.world.clock.now()
    const event = { realm: realm(things).realm, id: newId('evt', now), sequence: 0, created: now }
    const delivery = newDelivery(event, things.id('webhook_endpoint'), 'automatic', now, now)
    // A delivery that has succeeded is not sent again.
    const row = { ...delivery, status: 'succeeded', next_attempt_at: null }
    await things.world.services.store.write('system', async (tx) => tx.insert('webhook_deliveries', row))
    return row.id
  }),
  // Sent to the endpoint once, so it can be sent again.
  event: made('events.replay', async (things) => {
    const { body } = await things.send('GET', '/v1/events?limit=1')
    await things.make(`/v1/events/${body.data[0].id}/replay`, undefined)
    return body.data[0].id
  }),
  file: made('files.create', async (things) => {
    const path = `/v1/files?workspace=${things.id('workspace')}&name=notes-${++count}.txt`
    return (await things.world.make(path, undefined, { key: things.key, raw: `Notes ${count}` })).id
  }),
  // The worker that writes entries does not run in tests.
  notification: made('notifications.list', async (things) => {
    const now = things.world.clock.now()
    const { realm } = things
    return await things.world.services.store.write('system', async (tx) => {
      const { service_user } = (await tx.first(organizationOf, { id: things.organization.id })) as {
        service_user: string
      }
      const told = { kind: 'assigned', workspace: things.id('workspace'), subject_type: 'task', comment: null } as const
      const cause = `test ${++count}`
      const source = { realm, cause, at: now + count, event: null, sequence: 0, actor: null, generation: 1 }
      const person = things.person ?? service_user
      writeEntry(tx, person, { ...told, subject: things.id('task'), details: {} }, source)
      return entryId(person, source)
    })
  }),
  read_notification: made('notifications.read', async (things) => {
    const id = await things.fresh('notification')
    const read = await things.send('POST', `/v1/notifications/${id}/read`, { key: things.sender })
    if (read.status !== 200) throw new Error(read.text)
    return id
  }),
  running_time_entry: { needs: 'time_entries.start', shared: false, make: runningEntry },
}

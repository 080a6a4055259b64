/**
 * An organization in which everything that somebody can name is called what would run if it were taken for HTML, and the
 * pages on which it is shown.
 */
import type { AutomationGraph } from '../../sdk/typescript/src/index.ts'
import { tokenOf, Visitor } from '../../server/test/console/visitor.ts'
import { openReceiver } from '../../server/test/receiver.ts'
import { password, type Stage } from './stage.ts'

export const hostile = `<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>`
/** Where only a few characters may stand. */
const short = '<svg onload=__xss=1>'

/** By the path of the page, what stands in its place: an id, and what it takes besides. */
export type Opened = Readonly<Record<string, string>>

const graph: AutomationGraph = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'say', type: 'task.comment', config: { body: { $template: hostile } } },
  ],
  edges: [{ source: 'by_hand', target: 'say' }],
}

const element = (id: string, fields: object) => ({
  ...{ id, type: 'rectangle', x: 0, y: 0, width: 300, height: 80, angle: 0, strokeColor: '#1e1e1e' },
  ...{ backgroundColor: 'transparent', strokeWidth: 1, opacity: 100, groupIds: [], link: null },
  ...fields,
})

const scene = JSON.stringify({
  type: 'excalidraw',
  version: 2,
  elements: [
    element('note', { type: 'text', text: hostile, originalText: hostile, fontSize: 20 }),
    element('script', { y: 120, link: 'javascript:window.__xss=1' }),
    element('frame', { type: 'frame', y: 240, name: hostile }),
  ],
  files: {},
})

/** Makes one of everything, and says by which ids the pages are opened. */
export async function populate(stage: Stage): Promise<Opened> {
  const person = await ownerOf(stage)
  const { atrium } = stage
  const { id: workspace } = await atrium.workspaces.create({ title: hostile })
  const { id: project } = await atrium.projects.create({ workspace, name: hostile, description: hostile })
  const { id: column } = await atrium.columns.create({ workspace, project, name: hostile })
  const { user } = await person.arrive()
  const worked = await work(stage, { workspace, project, column })
  const kept = await money(stage, { workspace, project, task: worked.task, user: user.id })
  const { id: flow } = await atrium.automationFlows.create({ workspace, name: hostile, graph })
  const run = await runOf(stage, person, { flow, workspace, task: worked.task })
  const board = await person.must('POST', 'boards/import', { scene, name: hostile })
  await person.must('POST', 'saved-filters', { workspace, name: hostile, description: hostile, filter: 'title:img' })
  const defaults = { title: hostile, description: hostile, labels: [short] }
  await person.must('POST', 'task-templates', { workspace, name: hostile, defaults })
  const logged = await developed(stage, person)
  return {
    '/work/workspaces/:id': workspace,
    '/work/projects/:id': project,
    '/work/tasks/:id': worked.task,
    '/boards/:id': board.id,
    '/automations/:id': flow,
    '/automations/runs/:id': `${run}?workspace=${workspace}`,
    ...kept,
    ...logged,
    '/settings/people/:user?': user.id,
    '/open/:id?': worked.comment,
  }
}

/** Somebody of that name, as a program sees a session; the organization is called so too. */
async function ownerOf(stage: Stage): Promise<Visitor> {
  const visitor = new Visitor(stage.url)
  await visitor.arrive()
  const link = await stage.link(await stage.person('owner'))
  await visitor.must('POST', 'set-up', { token: tokenOf(link), password })
  await visitor.must('PATCH', 'profile', { first_name: hostile, last_name: hostile })
  await visitor.must('PATCH', 'organization', { name: hostile })
  const invitation = { email: 'invited@acme.example', first_name: hostile, last_name: hostile, role: 'member' }
  await visitor.must('POST', 'invitations', invitation)
  return visitor
}

interface Place {
  readonly workspace: string
  readonly project: string
}

async function work({ atrium, owner }: Stage, place: Place & { readonly column: string }) {
  const { workspace } = place
  const named = { title: hostile, description: hostile, labels: [short], custom_fields: { note: hostile } }
  const { id: task } = await atrium.tasks.create({ ...place, ...named, assignee: owner.user })
  const { id: other } = await atrium.tasks.create({ ...place, title: hostile })
  await atrium.tasks.dependencies.create(task, { workspace, to: other })
  const { id: comment } = await atrium.tasks.comments.create(task, { workspace, body: hostile })
  return { task, comment }
}

interface Worked extends Place {
  readonly task: string
  readonly user: string
}

async function money({ atrium }: Stage, { workspace, project, task, user }: Worked) {
  const started_at = Math.floor(Date.now() / 1000) - 7200
  const entry = { workspace, task, started_at, duration_ms: 3_600_000, note: hostile, user }
  const { id: time } = await atrium.timeEntries.create(entry)
  const spent = { expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 100 }
  const told = { category: hostile, vendor: hostile, notes: hostile, business_purpose: hostile }
  const { id: expense } = await atrium.expenses.create({ workspace, project, ...spent, ...told })
  const amounts = { net_amount_minor: 100, tax_amount_minor: 19, gross_amount_minor: 119 }
  const { id: invoice } = await atrium.invoiceDrafts.create({ workspace, project, currency: 'EUR', ...amounts })
  const rate = { workspace, scope: 'project', target: project, currency: 'EUR', amount_minor: 9500 } as const
  await atrium.billingRates.create(rate)
  const { id: job } = await atrium.exports.create({ resource: 'tasks' })
  return {
    '/money/time/:id?': time,
    '/money/expenses/:id?': expense,
    '/money/invoices/:id?': invoice,
    '/money/exports/:id?': job,
  }
}

interface Run {
  readonly flow: string
  readonly workspace: string
  readonly task: string
}

async function runOf({ atrium }: Stage, person: Visitor, { flow, workspace, task }: Run): Promise<string> {
  const { preview_token } = await atrium.automationFlows.preview(flow, { workspace, task })
  await atrium.automationFlows.activate(flow, { workspace, preview_token, scope_acknowledged: true })
  return (await person.must('POST', `automation-flows/${flow}/run`, { task })).id
}

async function developed({ atrium, server, key: secret }: Stage, person: Visitor): Promise<Opened> {
  const { id: key } = await atrium.apiKeys.create({ name: hostile, scopes: ['api:read'] })
  const { id: application } = await person.must('POST', 'applications', { name: hostile, scopes: ['api:read'] })
  const receiver = await openReceiver()
  const { id: endpoint } = await atrium.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] })
  await receiver.close()
  const wrong = await fetch(`${server.url}/v1/tasks/${encodeURIComponent(short)}?${encodeURIComponent(short)}=1`, {
    headers: { authorization: `Bearer ${secret}`, 'user-agent': hostile },
  })
  const { data: events } = await atrium.events.list({ limit: 100 })
  const [entry] = (await atrium.auditLogs.list({ limit: 1 })).data
  return {
    '/developers/keys/:id?': key,
    '/developers/applications/:id?': application,
    '/developers/webhooks/:id?': endpoint,
    '/developers/events/:id?': events.find(({ type }) => type === 'workflow.task.created')?.id ?? '',
    '/developers/requests/:id?': wrong.headers.get('x-request-id') ?? '',
    '/developers/audit/:id?': entry?.id ?? '',
  }
}

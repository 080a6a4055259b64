/** An organization in which every name is hostile: it would run as a script if a page took it for HTML. */
import type { AutomationGraph } from '../../sdk/typescript/src/index.ts'
import { tokenOf, Visitor } from '../../server/test/console/visitor.ts'
import { openReceiver } from '../../server/test/receiver.ts'
import { hostile, hostileScene } from './drawings.ts'
import { password, type Stage } from './stage.ts'

/** For fields that hold only a few characters. */
const short = '<svg onload=__xss=1>'

/** Everything that Markdown offers to run a script, load something, or lead somewhere. */
export const hostileMarkdown = [
  hostile,
  '[script](javascript:window.__xss=1) [case](JaVaScRiPt:window.__xss=1) [entity](javascript&colon;window.__xss=1)',
  '[tab](java\tscript:window.__xss=1) <javascript:window.__xss=1> [vb](vbscript:x) [file](file:///etc/passwd)',
  '[data](data:text/html,<script>window.__xss=1</script>) ![data](data:image/svg+xml,<svg/onload=window.__xss=1>)',
  '![remote](https://evil.example/pixel.png "x" onerror=window.__xss=1") [host](//evil.example/) [own](/app/api/session)',
  '<svg onload=window.__xss=1>\n<iframe src="https://evil.example/"></iframe>\n<style>@import "https://evil.example/a.css"</style>',
  '<a href="javascript:window.__xss=1" style="position:fixed;inset:0">over</a> <form action=https://evil.example/><button>',
  '<!-- <img src=https://evil.example/c.png onerror=window.__xss=1> -->',
  '[ref][] ![ref][]\n\n[ref]: javascript:window.__xss=1 "t"',
  '``` "><img src=x onerror=window.__xss=1>\n<script>window.__xss=1</script>\n```',
  '```js\nwindow.__xss = `<img src=x onerror=alert(1)>`\n```',
  '[@Ada](atrium:usr_01K1QX6V0000000000000000AA"onclick=window.__xss=1) [@Ada](atrium:../../app/api) ![f](/v1/files/../../x)',
  '| <img src=x onerror=window.__xss=1> | [a](javascript:x) |\n|---|---|\n| `<b>` | \\| |',
  '\u202egnp.exe\u202c [https://bank.example](https://evil.example/) \u2066\u2066\u2066',
  'https://evil.example/"onmouseover="window.__xss=1 http://user:pass@evil.example/ www.evil.example mailto:a@b.example?bcc=c@d.example',
  'end of the text',
].join('\n\n')

/** By page path: the id to open, with query parameters if the page needs them. */
export type PageIds = Readonly<Record<string, string>>

const graph: AutomationGraph = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'say', type: 'task.comment', config: { body: { $template: hostile } } },
  ],
  edges: [{ source: 'by_hand', target: 'say' }],
}

/** Creates one object of each kind. Returns the ids to open. */
export async function populate(stage: Stage): Promise<PageIds> {
  const person = await signInOwner(stage)
  const { atrium } = stage
  const { id: workspace } = await atrium.workspaces.create({ title: hostile })
  const { id: project } = await atrium.projects.create({ workspace, name: hostile, description: hostile })
  const { id: column } = await atrium.columns.create({ workspace, project, name: hostile })
  const option = { name: hostile.slice(0, 100) }
  await atrium.customFields.create({ workspace, key: 'kind', name: hostile, type: 'select', options: [option] })
  const { user } = await person.arrive()
  const tasks = await createTasks(stage, { workspace, project, column })
  const money = await createMoney(stage, { workspace, project, task: tasks.task, user: user.id })
  const { id: flow } = await atrium.automationFlows.create({ workspace, name: hostile, graph })
  const run = await startRun(stage, person, { flow, workspace, task: tasks.task })
  const board = await person.must('POST', 'boards/import', { scene: hostileScene, name: hostile })
  await person.must('POST', 'saved-filters', { workspace, name: hostile, description: hostile, filter: 'title:img' })
  const defaults = { title: hostile, description: hostile, labels: [short] }
  await person.must('POST', 'task-templates', { workspace, name: hostile, defaults })
  // A file's name has no slash.
  const { id: file } = await atrium.files.create({ workspace, name: hostile.split('</')[0] ?? '', content: 'text' })
  const developer = await createDeveloperObjects(stage, person)
  return {
    '/work/workspaces/:id': workspace,
    '/work/fields/:id': workspace,
    '/work/projects/:id': project,
    '/work/projects/:id/whiteboards': project,
    '/work/tasks/:id': tasks.task,
    '/boards/:id': board.id,
    '/boards/:id/draw': board.id,
    '/automations/:id': flow,
    '/automations/:id/edit': flow,
    '/automations/:id/sentence': flow,
    '/automations/runs/:id': `${run}?workspace=${workspace}`,
    ...money,
    ...developer,
    '/settings/people/:user?': user.id,
    '/settings/teams/:team?': '',
    '/search/files/:id': file,
    '/open/:id?': tasks.comment,
  }
}

/** Signs in an owner with a hostile name, and gives the organization that name. */
async function signInOwner(stage: Stage): Promise<Visitor> {
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

interface Parent {
  readonly workspace: string
  readonly project: string
}

async function createTasks({ atrium, owner }: Stage, parent: Parent & { readonly column: string }) {
  const { workspace } = parent
  const named = { title: hostile, description: hostileMarkdown, labels: [short], custom_fields: { note: hostile } }
  const { id: task } = await atrium.tasks.create({ ...parent, ...named, assignee: owner.user })
  const due_at = Math.floor(Date.now() / 1000)
  const { id: other } = await atrium.tasks.create({ ...parent, title: hostile, due_at })
  await atrium.tasks.dependencies.create(task, { workspace, to: other })
  const { id: comment } = await atrium.tasks.comments.create(task, { workspace, body: hostile })
  await atrium.tasks.comments.create(task, { workspace, body: hostileMarkdown })
  return { task, comment }
}

interface MoneyParents extends Parent {
  readonly task: string
  readonly user: string
}

async function createMoney({ atrium }: Stage, { workspace, project, task, user }: MoneyParents) {
  const started_at = Math.floor(Date.now() / 1000) - 7200
  const entry = { workspace, task, started_at, duration_ms: 3_600_000, note: hostile, user }
  const { id: time } = await atrium.timeEntries.create(entry)
  const spent = { expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 100 }
  const texts = { category: hostile, vendor: hostile, notes: hostile, business_purpose: hostile }
  const { id: expense } = await atrium.expenses.create({ workspace, project, ...spent, ...texts })
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

interface RunParents {
  readonly flow: string
  readonly workspace: string
  readonly task: string
}

async function startRun({ atrium }: Stage, person: Visitor, { flow, workspace, task }: RunParents): Promise<string> {
  const { preview_token } = await atrium.automationFlows.preview(flow, { workspace, task })
  await atrium.automationFlows.activate(flow, { workspace, preview_token, scope_acknowledged: true })
  return (await person.must('POST', `automation-flows/${flow}/run`, { task })).id
}

async function createDeveloperObjects({ atrium, server, key: secret }: Stage, person: Visitor): Promise<PageIds> {
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

/** An organization in which every text that people write has the whole corpus. */
import { once } from 'node:events'
import { request } from 'node:http'
import { Atrium, type AutomationGraph } from '../../../sdk/typescript/src/index.ts'
import { addMember } from '../../../server/src/resources/members/write.ts'
import { drainRuns } from '../../../server/src/workers/automations/runs.ts'
import { call } from '../../../server/test/call.ts'
import { tokenOf, Visitor } from '../../../server/test/console/visitor.ts'
import { pageKeyOf, type Send, sendForm } from '../../../server/test/forms.ts'
import { openReceiver } from '../../../server/test/receiver.ts'
import { element, scene } from '../drawings.ts'
import { hostileMarkdown } from '../hostile.ts'
import { password, type Stage, type StagePerson } from '../stage.ts'
import { type Field, inherited, valuesOf } from './samples.ts'
import { type EditedFlow, hostileFlows } from './steps.ts'

export interface Populated {
  /** By path of a page: the paths to open, one for each value of what the page shows one of. */
  readonly paths: Readonly<Record<string, readonly string[]>>
  /** The owner, who is signed in by `Visitor` only. */
  readonly visitor: Visitor
  readonly reader: StagePerson
  readonly workspace: string
  readonly task: string
  /** Addresses of forms that anyone may open. */
  readonly forms: readonly string[]
  /** Editors of flows, and by id of a step the texts that its settings show. */
  readonly edited: readonly { readonly path: string; readonly shown: EditedFlow['shown'] }[]
  /** The secrets of links that guests of a board open. */
  readonly boardLink: string
}

const now_s = () => Math.floor(Date.now() / 1000)
const wholeText = (field: Field) => valuesOf(field).join(' ')
const markdownOf = (field: Field) => `${wholeText(field)}\n\n${hostileMarkdown}`

/** `make` once for each of the values, in their order. */
async function each<T>(values: readonly string[], make: (value: string, at: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (const [at, value] of values.entries()) made.push(await make(value, at))
  return made
}

export async function populateCorpus(stage: Stage): Promise<Populated> {
  const visitor = await signInOwner(stage)
  const people = await addPeople(stage)
  const work = await createWork(stage, visitor, people)
  const money = await createMoney(stage, work)
  const boards = await createBoards(stage, visitor, work)
  const flows = await createFlows(stage, visitor, work)
  const developer = await createDeveloper(stage, visitor)
  const reader = people[0] as StagePerson
  const paths = { ...work.paths, ...money, ...boards.paths, ...flows.paths, ...developer }
  const task = work.tasks[0] ?? ''
  const { forms, edited } = flows
  return { paths, visitor, reader, workspace: work.workspace, task, forms, edited, boardLink: boards.link }
}

async function signInOwner(stage: Stage): Promise<Visitor> {
  const visitor = new Visitor(stage.url)
  await visitor.arrive()
  await visitor.must('POST', 'set-up', { token: tokenOf(await stage.link(stage.owner)), password })
  await visitor.must('PATCH', 'organization', { name: valuesOf('organization.name')[0] })
  await each(valuesOf('invitations.first_name'), (first_name, at) =>
    visitor.must('POST', 'invitations', { email: `invited${at}@acme.example`, first_name, role: 'member' }),
  )
  return visitor
}

/** Members whose names hold the corpus together. */
async function addPeople({ server, organization }: Stage): Promise<StagePerson[]> {
  const lasts = valuesOf('members.last_name')
  return await each(valuesOf('members.first_name'), async (first_name, at) => {
    const email = `person${at}@acme.example`
    const fields = { email, first_name, last_name: lasts[at] ?? '' }
    const { user } = await addMember(server.services, organization, fields)
    return { email, user, role: 'member' as const }
  })
}

interface Work {
  readonly workspace: string
  readonly project: string
  readonly tasks: readonly string[]
  readonly user: string
  readonly paths: Record<string, readonly string[]>
}

async function createWork(stage: Stage, visitor: Visitor, people: readonly StagePerson[]): Promise<Work> {
  const { atrium, owner } = stage
  const workspaces = await each(valuesOf('workspaces.title'), (title) => atrium.workspaces.create({ title }))
  const workspace = workspaces[0]?.id ?? ''
  const text = { workspace, description: markdownOf('projects.description') }
  const projects = await each(valuesOf('projects.name'), (name) => atrium.projects.create({ ...text, name }))
  const project = projects[0]?.id ?? ''
  await each(valuesOf('portfolios.name'), (name) =>
    atrium.portfolios.create({ workspace, name, description: markdownOf('portfolios.description') }),
  )
  const columns = await each(valuesOf('columns.name'), (name) => atrium.columns.create({ workspace, project, name }))
  const options = valuesOf('custom_fields.options.name').map((name) => ({ name }))
  await each(valuesOf('custom_fields.name'), (name, at) =>
    atrium.customFields.create({ workspace, key: `kind_${at}`, name, type: 'multi_select', options }),
  )
  // Before the rest, of which the list of the newest events shows the texts.
  const descriptions = valuesOf('teams.description')
  const teams: { readonly id: string }[] = await each(valuesOf('teams.name'), (name, at) =>
    visitor.must('POST', 'teams', { name, description: descriptions[at] ?? null, add: people.map(({ user }) => user) }),
  )
  await fillInbox(stage, visitor, { workspace, user: owner.user }, people[0] as StagePerson)
  const tasks = await createTasks(stage, { workspace, project, columns: columns.map(({ id }) => id), people })
  await createSaved(visitor, workspace)
  const files = await each(valuesOf('files.name'), (name) => atrium.files.create({ workspace, name, content: 'text' }))
  await atrium.tasks.update(tasks[0] ?? '', { attachments: files.map(({ id }) => id) })
  const one = (path: string, ids: readonly string[]) => ids.map((id) => path.replace(/:\w+\??/, id))
  const paths = {
    '/work/workspaces/:id': one(
      '/work/workspaces/:id',
      workspaces.map(({ id }) => id),
    ),
    '/work/fields/:id': [`/work/fields/${workspace}`],
    '/work/projects/:id': one(
      '/work/projects/:id',
      projects.map(({ id }) => id),
    ),
    '/work/projects/:id/whiteboards': [`/work/projects/${project}/whiteboards`],
    '/work/tasks/:id': [...one('/work/tasks/:id', tasks), `/work/tasks/${tasks[0]}?part=history`],
    '/search/files/:id': one(
      '/search/files/:id',
      files.map(({ id }) => id),
    ),
    '/settings/people/:user?': one(
      '/settings/people/:user?',
      people.map(({ user }) => user),
    ),
    '/settings/teams/:team?': ['/settings/teams', `/settings/teams/${teams[0]?.id}`],
    '/open/:id?': [`/open/${tasks[0]}`],
  }
  return { workspace, project, tasks, user: owner.user, paths }
}

interface TaskParents {
  readonly workspace: string
  readonly project: string
  readonly columns: readonly string[]
  readonly people: readonly StagePerson[]
}

async function createTasks({ atrium, owner }: Stage, { workspace, project, columns, people }: TaskParents) {
  const titles = valuesOf('tasks.title')
  const labels = [...valuesOf('tasks.labels'), ...inherited]
  const rows = await each(titles, (title, at) =>
    atrium.tasks.create({
      ...{ workspace, project, column: columns[at % columns.length] ?? '', title, labels },
      ...{ description: markdownOf('tasks.description'), assignee: people[at]?.user ?? owner.user, due_at: now_s() },
      custom_fields: { note: wholeText('tasks.custom_fields'), constructor_of: inherited },
    }),
  )
  const tasks = rows.map(({ id }) => id)
  const [first = '', second = ''] = tasks
  await atrium.tasks.dependencies.create(first, { workspace, to: second })
  await atrium.tasks.comments.create(first, { workspace, body: markdownOf('task_comments.body') })
  await atrium.tasks.update(first, { description: `Another.\n\n${markdownOf('tasks.description')}` })
  for (const { user } of people) await atrium.tasks.create({ workspace, project, title: 'Of a person', assignee: user })
  const running = await atrium.tasks.create({ workspace, title: titles[0] ?? '', assignee: owner.user })
  await atrium.tasks.update(running.id, { parent: second })
  return tasks
}

async function createSaved(visitor: Visitor, workspace: string): Promise<void> {
  const described = { workspace, description: markdownOf('saved_filters.description') }
  await each(valuesOf('saved_filters.name'), (name) =>
    visitor.must('POST', 'saved-filters', { ...described, name, filter: 'title:img' }),
  )
  const defaults = {
    title: valuesOf('task_templates.defaults.title')[0],
    description: markdownOf('task_templates.defaults.description'),
    labels: valuesOf('task_templates.defaults.labels'),
  }
  await each(valuesOf('task_templates.name'), (name) =>
    visitor.must('POST', 'task-templates', {
      workspace,
      name,
      defaults,
      description: markdownOf('task_templates.description'),
    }),
  )
}

async function createMoney({ atrium }: Stage, { workspace, project, tasks, user }: Work) {
  const entry = { workspace, task: tasks[0] ?? '', started_at: now_s() - 7200, duration_ms: 3_600_000, user }
  const { id: time } = await atrium.timeEntries.create({ ...entry, note: wholeText('time_entries.note') })
  const spent = { expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 100 }
  const short = (field: 'category' | 'vendor_vat_id' | 'invoice_number' | 'payment_method', at: number) =>
    valuesOf(`expenses.${field}`)[at] ?? ''
  const expenses = await each(valuesOf('expenses.vendor'), (vendor, at) =>
    atrium.expenses.create({
      ...{ workspace, project, ...spent, vendor, category: short('category', at) },
      ...{ vendor_vat_id: short('vendor_vat_id', at), invoice_number: short('invoice_number', at) },
      ...{ payment_method: short('payment_method', at), notes: markdownOf('expenses.notes') },
      ...{ business_purpose: markdownOf('expenses.business_purpose') },
      extra_fields: { note: wholeText('expenses.extra_fields') },
    }),
  )
  const amounts = { net_amount_minor: 100, tax_amount_minor: 19, gross_amount_minor: 119 }
  const { id: invoice } = await atrium.invoiceDrafts.create({ workspace, project, currency: 'EUR', ...amounts })
  const rate = { workspace, scope: 'project', target: project, currency: 'EUR', amount_minor: 9500 } as const
  await atrium.billingRates.create(rate)
  const { id: job } = await atrium.exports.create({ resource: 'tasks' })
  return {
    '/money/time/:id?': [`/money/time/${time}`],
    '/money/expenses/:id?': expenses.map(({ id }) => `/money/expenses/${id}`),
    '/money/invoices/:id?': [`/money/invoices/${invoice}`],
    '/money/exports/:id?': [`/money/exports/${job}`],
  }
}

const drawnText = (text: string) => ({ text, originalText: text, fontSize: 20 })

/** A shape with a text inside. */
const labeled = (type: string, text: string, y: number, more: object = {}) => [
  element(type, { type, y, ...more, boundElements: [{ id: `${type}-label`, type: 'text' }] }),
  element(`${type}-label`, { type: 'text', y, ...drawnText(text), containerId: type }),
]

async function createBoards(stage: Stage, visitor: Visitor, { project, tasks, user }: Work) {
  const { atrium } = stage
  const drawn = scene(
    ...valuesOf('board_items.text').map((text, at) =>
      element(`note-${at}`, { type: 'text', text, originalText: text, fontSize: 20, y: at * 100 }),
    ),
    ...valuesOf('board_items.frame').map((name, at) =>
      element(`frame-${at}`, { type: 'frame', x: 700, y: 960 + at * 120, name }),
    ),
    ...labeled('rectangle', wholeText('board_items.label'), 2000),
    ...labeled('arrow', wholeText('board_items.label'), 2200, {
      points: [
        [0, 0],
        [280, 0],
      ],
    }),
    element('linked', {
      type: 'text',
      y: 2400,
      ...drawnText(wholeText('board_items.link')),
      link: 'https://maps.example/',
    }),
  )
  const boards = await each(valuesOf('boards.name'), async (name) => {
    const board = await visitor.must('POST', 'boards/import', { scene: drawn, name })
    await atrium.boards.update(board.id, { description: markdownOf('boards.description'), project })
    return board.id as string
  })
  const board = boards[0] ?? ''
  const cards = tasks.map((task, at) => ({ type: 'card' as const, linked_task: task, position: { x: 0, y: at * 300 } }))
  await atrium.boards.items.create(board, { items: cards })
  // A second name of the same content replaces the first.
  for (const name of valuesOf('board_versions.name')) {
    await atrium.boards.items.create(board, { items: [{ type: 'text', text: 'Another', position: { x: 900, y: 0 } }] })
    await visitor.must('POST', `boards/${board}/versions`, { name })
  }
  const place = { x: 10, y: 10 }
  const links = await each(valuesOf('board_links.name'), (name) =>
    atrium.boards.links.create(board, { name, role: 'commenter' }),
  )
  const secret = links[0]?.secret ?? ''
  for (const name of valuesOf('board_guests.name')) {
    const guest = await visitor.must('POST', 'board-guests', { secret, name })
    const body = markdownOf('board_comments.body').slice(0, 2000)
    await visitor.must('POST', 'board-guests/comments', {
      token: guest.token,
      key: guest.token.slice(-20),
      body,
      position: place,
    })
  }
  return {
    link: secret,
    paths: {
      '/boards/:id': boards.map((id) => `/boards/${id}`),
      '/boards/:id/draw': ['comments', 'members', 'history'].map((panel) => `/boards/${board}/draw?panel=${panel}`),
    },
    user,
  }
}

async function createFlows(stage: Stage, visitor: Visitor, { workspace, tasks, user }: Work) {
  const { atrium } = stage
  const body = wholeText('automation_flows.graph')
  const graph = {
    schema_version: 5,
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'say', type: 'task.comment', config: { body: { $template: body } } },
      { id: 'ask', type: 'approval.wait', config: { people: [user], text: valuesOf('automation_approvals.text')[0] } },
    ],
    edges: [
      { source: 'by_hand', target: 'say' },
      { source: 'say', target: 'ask' },
    ],
  } as unknown as AutomationGraph
  const notes = valuesOf('automation_flows.notes.text').map((text, i) => {
    const place = { x: (i % 6) * 240, y: 400 + Math.floor(i / 6) * 200, width: 200, height: 160 }
    return { id: `note_${i}`, text, ...place, color: 'yellow' as const }
  })
  const flows = await each(valuesOf('automation_flows.name'), (name, i) =>
    atrium.automationFlows.create({ workspace, name, graph, ...(i === 0 && { notes }) }),
  )
  const flow = flows[0]?.id ?? ''
  const task = tasks[0] ?? ''
  await activate(atrium, flow, { workspace, task })
  const { id: run } = await visitor.must('POST', `automation-flows/${flow}/run`, { task })
  await drainRuns(stage.server.services)
  const { data: approvals } = await atrium.automationApprovals.list({ automation_run: run })
  const own = new Atrium({ apiKey: await visitor.token(), baseUrl: stage.server.url })
  const comment = wholeText('automation_approvals.comment')
  await own.automationApprovals.decide(approvals[0]?.id ?? '', { decision: 'approved', comment })
  const forms = await createForms(stage, { workspace, task })
  await visitor.must('POST', 'automation-secrets', { name: 'team_chat', value: 'https://maps.example/' })
  const edited = await Promise.all(
    hostileFlows(user).map(async ({ graph: steps, shown }) => {
      const { id } = await atrium.automationFlows.create({ workspace, name: 'Edited', graph: steps })
      return { path: `/automations/${id}/edit`, shown }
    }),
  )
  await drainRuns(stage.server.services)
  const reason = wholeText('automation_flows.reason').slice(0, 2000)
  await atrium.automationFlows.pause(flow, { workspace, reason })
  const { data: runs } = await atrium.automationRuns.list({ workspace })
  return {
    forms,
    edited,
    paths: {
      '/automations/:id': flows.map(({ id }) => `/automations/${id}`),
      '/automations/:id/edit': [`/automations/${flow}/edit`],
      '/automations/:id/sentence': [`/automations/${flow}/sentence`],
      '/automations/runs/:id': [run, ...runs.map(({ id }) => id).filter((id) => id !== run)].map(
        (id) => `/automations/runs/${id}?workspace=${workspace}`,
      ),
    },
  }
}

/** What a preview is made with. */
interface Sample {
  readonly workspace: string
  readonly task: string
  readonly form?: Readonly<Record<string, string>>
}

async function activate(atrium: Atrium, flow: string, sample: Sample): Promise<void> {
  const { workspace } = sample
  const { preview_token } = await atrium.automationFlows.preview(flow, sample)
  await atrium.automationFlows.activate(flow, { workspace, preview_token, scope_acknowledged: true })
}

/** A flow of the owner's that fails, of which the owner hears. Name and failure have the corpus. */
async function failFlow(owner: Atrium, visitor: Visitor, sample: Sample): Promise<void> {
  const message = { $template: wholeText('automation_flows.graph').slice(0, 400) }
  const graph = {
    schema_version: 5,
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'end', type: 'stop', config: { outcome: 'failed', message } },
    ],
    edges: [{ source: 'by_hand', target: 'end' }],
  } as unknown as AutomationGraph
  const name = valuesOf('automation_flows.name')[0] ?? ''
  const { id } = await owner.automationFlows.create({ workspace: sample.workspace, name, graph })
  await activate(owner, id, sample)
  await visitor.must('POST', `automation-flows/${id}/run`, { task: sample.task })
}

/** Forms whose every text has the corpus together. The first one is answered with it. */
async function createForms(stage: Stage, { workspace, task }: Sample): Promise<string[]> {
  const { atrium, server } = stage
  const [hints, thanks] = [valuesOf('form.hint'), valuesOf('form.thanks')]
  const answers = { long: wholeText('form.answers') }
  const urls = await each(valuesOf('form.title'), async (title, at) => {
    const more = { introduction: wholeText('form.introduction'), thanks: thanks[at % thanks.length] }
    const config = { title, ...more, fields: formFields(hints[at % hints.length] ?? '') }
    const graph = {
      schema_version: 5,
      nodes: [
        { id: 'asked', type: 'trigger.form', config },
        { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'form.long.substring(0, 400)' } } } },
      ],
      edges: [{ source: 'asked', target: 'file' }],
    } as unknown as AutomationGraph
    const { id: flow } = await atrium.automationFlows.create({ workspace, name: 'Form', graph })
    await activate(atrium, flow, { workspace, task, form: answers })
    return (await atrium.automationFlows.form(flow)).url
  })
  const send: Send = (method, path, options = {}) =>
    call(server.url, method, path, { key: null, idempotencyKey: null, ...options })
  const { pathname } = new URL(urls[0] ?? '')
  const page = pageKeyOf(await send('GET', pathname))
  stage.later(5)
  await sendForm(send, pathname, page, answers)
  return urls.map((url) => url.replace(server.url, stage.url))
}

const formFields = (hint: string) => [
  ...valuesOf('form.label').map((label, at) => ({ key: `short_${at}`, label, kind: 'short_text' })),
  { key: 'long', label: 'Long', kind: 'long_text', hint },
  { key: 'area', label: 'Area', kind: 'select', options: valuesOf('form.options') },
]

async function createDeveloper({ atrium, server }: Stage, visitor: Visitor) {
  const keys = await each(valuesOf('api_keys.name'), (name) =>
    atrium.apiKeys.create({ name, scopes: ['api:read', 'tasks:read'] }),
  )
  const applications = await each(valuesOf('applications.name'), (name) =>
    visitor.must('POST', 'applications', { name, scopes: ['api:read'] }),
  )
  const receiver = await openReceiver()
  const { id: endpoint } = await atrium.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] })
  await receiver.close()
  const requests = await logRequests(
    server.url,
    keys.map((key) => key.secret),
  )
  const { data: events } = await atrium.events.list({ limit: 100, types: ['workflow.task.created'] })
  const { data: entries } = await atrium.auditLogs.list({ limit: 1 })
  return {
    '/developers/keys/:id?': keys.map(({ id }) => `/developers/keys/${id}`),
    '/developers/applications/:id?': applications.map(({ id }) => `/developers/applications/${id}`),
    '/developers/webhooks/:id?': [`/developers/webhooks/${endpoint}`],
    '/developers/events/:id?': [`/developers/events/${events[0]?.id}`],
    '/developers/requests/:id?': [...requests.map((id) => `/developers/requests/${id}`)],
    '/developers/audit/:id?': [`/developers/audit/${entries[0]?.id}`],
  }
}

/** Wrong requests, of which the log keeps path, agent, and names of parameters as they were sent. Returns their ids. */
async function logRequests(server: string, secrets: readonly string[]): Promise<string[]> {
  const parameters = valuesOf('request_logs.parameter').map((name) => `?${encodeURIComponent(name)}=1`)
  const paths = [...valuesOf('request_logs.path').map((text) => `/${text}`), ...parameters]
  const agents = valuesOf('request_logs.user_agent')
  const { hostname, port } = new URL(server)
  return await each(paths, async (sent, at) => {
    const authorization = `Bearer ${secrets[at % secrets.length]}`
    const headers = { authorization, 'user-agent': agents[at % agents.length] ?? '' }
    // `fetch` would encode the path.
    const sending = request({ hostname, port, path: `/v1/tasks${sent}`, headers, agent: false }).end()
    const [answer] = await once(sending, 'response')
    answer.resume()
    return answer.headers['x-request-id'] as string
  })
}

/** Acts of a person, of which the owner hears: each kind that shows a text. */
async function fillInbox(stage: Stage, visitor: Visitor, place: Pick<Work, 'workspace' | 'user'>, person: StagePerson) {
  const { workspace, user } = place
  const other = new Visitor(stage.url)
  await other.arrive()
  await other.must('POST', 'set-up', { token: tokenOf(await stage.link(person)), password })
  const baseUrl = stage.server.url
  const own = new Atrium({ apiKey: await other.token(), baseUrl })
  const owner = new Atrium({ apiKey: await visitor.token(), baseUrl })
  const [title = ''] = valuesOf('tasks.title')
  const task = await own.tasks.create({ workspace, title, assignee: user })
  const body = `[@Owner](atrium:${user}) ${markdownOf('task_comments.body')}`
  await own.tasks.comments.create(task.id, { workspace, body })
  await own.tasks.update(task.id, { status: 'in_progress' })
  const board = await own.boards.create({ name: valuesOf('boards.name')[0] ?? '' })
  await own.boards.members.create(board.id, { user, role: 'editor' })
  const position = { x: 10, y: 10 }
  const thread = await owner.boards.comments.create(board.id, { body: 'What is this?', position })
  await own.boards.comments.create(board.id, { body: markdownOf('board_comments.body'), thread: thread.id })
  await failFlow(owner, visitor, { workspace, task: task.id })
  await drainRuns(stage.server.services)
}

/**
 * Fills a fresh organization with six days of work that are worth looking at: a board, a whiteboard, flows that act, hours
 * and money, and the events, audit entries and requests of all of it. Everything goes through the API's own operations.
 */
import { readFileSync } from 'node:fs'
import type { Services } from '../api/services.ts'
import { seconds } from '../lib/clock.ts'
import { projectFile } from '../lib/project-file.ts'
import { createKey } from '../resources/api_keys/create-by-operator.ts'
import { importBoard } from '../resources/board_items/import.ts'
import { setExpense } from '../resources/expenses/write.ts'
import { addMember, setMember } from '../resources/members/write.ts'
import { addSavedFilter } from '../resources/saved_filters/write.ts'
import { addTaskTemplate } from '../resources/task_templates/write.ts'
import {
  app_tasks,
  columns,
  type DemoTask,
  office_tasks,
  saved_filters,
  seat_map,
  templates,
  workspace_title,
} from './board.ts'
import { expenses, hours, invoices, rates } from './money.ts'
import { type Name, owner, people } from './people.ts'
import type { Sent, Teller } from './teller.ts'
import { whiteboard } from './whiteboard.ts'

const day_ms = 86_400_000
const day_of_story = 24

/** How long before its end the story begins. */
export const story_hours = 6 * day_of_story

export interface Setting {
  readonly organization: string
  /** The owner's user id. */
  readonly user: string
  readonly realm: number
  /** The organization's own key. */
  readonly secret: string
}

interface Cast {
  readonly users: Readonly<Record<Name, string>>
  readonly secrets: Readonly<Record<Name, string>>
  readonly keys: readonly string[]
}

/** Tells the whole story. Rejects where the API refuses a part of it, as with credits that do not reach. */
export async function tellStory(teller: Teller, setting: Setting): Promise<void> {
  const cast = await introduce(teller, setting)
  const ada = (operation: string, sent: Sent) => teller.tell(cast.secrets.ada, operation, sent)
  const workspace = (await ada('workspaces.create', { body: { title: workspace_title } })).id
  const portfolio = (await ada('portfolios.create', { body: { workspace, name: 'Next season' } })).id
  const description = 'Book a crossing in a minute, on any phone, also with a car.'
  const app = { workspace, name: 'Booking app', description, portfolio }
  const booking = await makeProject(teller, cast, app, app_tasks)
  const office = await makeProject(teller, cast, { workspace, name: 'Harbour office' }, office_tasks)
  await writeDown(teller.services, setting, workspace)
  await work(teller, cast, workspace, [booking, office])
  teller.goTo(8)
  await countMoney(teller, cast, workspace, booking.project)
  teller.goTo(1)
  await draw(teller, setting, booking.tasks)
  teller.goTo(0)
  await activate(teller, setting, workspace, booking.tasks)
  await advance(teller, cast, workspace, booking, finished_last)
  // The people sign in by themselves; these keys were for the telling.
  for (const id of cast.keys) await teller.tell(setting.secret, 'api_keys.delete', { params: { id } })
}

/** The people, and a key for each that acts as that person. */
async function introduce(teller: Teller, { organization, user, secret }: Setting): Promise<Cast> {
  const { services } = teller
  const { data } = await teller.tell(secret, 'members.list', {})
  await setMember(services, data[0].id, owner)
  const users: Record<string, string> = { ada: user }
  for (const [name, person] of Object.entries(people))
    users[name] = (await addMember(services, organization, person)).user
  const secrets: Record<string, string> = {}
  const keys: string[] = []
  for (const name of ['ada', 'jonas', 'mei', 'priya', 'tomas']) {
    const whose = { name: `Demo: ${name}`, owner: `user:${users[name]}` }
    const key = await createKey(services, { organization, scopes: 'all', ...whose })
    secrets[name] = key.secret
    keys.push(key.id)
  }
  return { users: users as Cast['users'], secrets: secrets as Cast['secrets'], keys }
}

interface MadeProject {
  readonly project: string
  /** Column ids by their names. */
  readonly columns: Readonly<Record<string, string>>
  /** Task ids by their titles. */
  readonly tasks: Readonly<Record<string, string>>
}

/** The project as it was planned: every task stands in the first column. */
async function makeProject(
  teller: Teller,
  cast: Cast,
  body: { readonly workspace: string; readonly name: string },
  planned: readonly DemoTask[],
): Promise<MadeProject> {
  const ada = (operation: string, sent: Sent) => teller.tell(cast.secrets.ada, operation, sent)
  const { workspace } = body
  const project = (await ada('projects.create', { body })).id
  const made: Record<string, string> = {}
  for (const { name, color } of columns) {
    made[name] = (await ada('columns.create', { body: { workspace, project, name, color } })).id
  }
  const tasks: Record<string, string> = {}
  for (const task of planned)
    tasks[task.title] = await makeTask(teller, cast, task, { workspace, project, column: made.Ideas })
  for (const { title, after = [] } of planned) {
    for (const first of after) {
      const params = { task_id: tasks[first] as string }
      await ada('task_dependencies.create', { params, body: { workspace, to: tasks[title], kind: 'blocks' } })
    }
  }
  return { project, columns: made, tasks }
}

async function makeTask(teller: Teller, cast: Cast, task: DemoTask, place: object): Promise<string> {
  const { title, description = '', priority, labels = [], points, due, assignee } = task
  const end = teller.ends
  const body = {
    ...place,
    title,
    description,
    priority,
    labels,
    status: 'backlog',
    assignee: assignee === null ? null : cast.users[assignee],
    due_at: due === undefined ? null : seconds(end + due * day_ms),
    custom_fields: points === undefined ? {} : { points },
  }
  return (await teller.tell(cast.secrets[assignee ?? 'ada'], 'tasks.create', { body })).id
}

/** What the contract only reads: the console and the command line write it. */
async function writeDown(services: Services, { organization, realm }: Setting, workspace: string): Promise<void> {
  const place = { organization, realm, mode: 'live', workspace } as const
  for (const filter of saved_filters) await addSavedFilter(services, { ...place, ...filter })
  for (const template of templates) await addTaskTemplate(services, { ...place, ...template })
}

/** What a flow has something to say of: it is done when the flows are active. */
const finished_last = app_tasks.find(({ title }) => title === seat_map) as DemoTask

/**
 * Flows as `examples/flows` has them; the last one stays a draft. They are activated at the present: a preview of days ago
 * is over, and a worker may sweep it before it is used.
 */
const flows = [
  { file: 'tell-unblocked', name: 'Tell who can go on', isActive: true },
  { file: 'remind-before-due', name: 'Remind a day before', isActive: true },
  { file: 'plan-the-week', name: 'Plan the week', isActive: false },
] as const

async function activate(teller: Teller, { secret }: Setting, workspace: string, tasks: MadeProject['tasks']) {
  const [task] = Object.values(tasks)
  for (const { file, name, isActive } of flows) {
    const graph = JSON.parse(readFileSync(projectFile(`examples/flows/${file}.json`), 'utf8'))
    const { id } = await teller.tell(secret, 'automation_flows.create', { body: { workspace, name, graph } })
    const params = { id }
    if (!isActive) continue
    const { preview_token } = await teller.tell(secret, 'automation_flows.preview', {
      params,
      body: { workspace, task },
    })
    const body = { workspace, preview_token, scope_acknowledged: true }
    await teller.tell(secret, 'automation_flows.activate', { params, body })
  }
}

/** Five days of work: tasks move to where they stand now, people talk and write down their hours. */
async function work(teller: Teller, cast: Cast, workspace: string, places: readonly MadeProject[]): Promise<void> {
  const all = [...app_tasks, ...office_tasks].filter((task) => task.column !== 'Ideas' && task !== finished_last)
  for (const [i, task] of all.entries()) {
    teller.goTo(story_hours - day_of_story - (i * (story_hours - 2 * day_of_story)) / all.length)
    const place = places.find(({ tasks }) => task.title in tasks) as MadeProject
    await advance(teller, cast, workspace, place, task)
  }
  for (const entry of hours) {
    const task = places.map(({ tasks }) => tasks[entry.task]).find((id) => id !== undefined)
    const started_at = seconds(Math.floor(teller.ends / day_ms - entry.day) * day_ms + entry.from * 3_600_000)
    const body = { workspace, task, started_at, duration_ms: entry.minutes * 60_000, note: entry.note, billable: true }
    await teller.tell(cast.secrets[entry.who], 'time_entries.create', { body })
  }
}

async function advance(
  teller: Teller,
  cast: Cast,
  workspace: string,
  place: MadeProject,
  task: DemoTask,
): Promise<void> {
  const secret = cast.secrets[task.assignee ?? 'ada']
  const params = { id: place.tasks[task.title] as string }
  const steps = columns.slice(1, columns.findIndex(({ name }) => name === task.column) + 1)
  for (const { name, status } of steps) {
    const column = place.columns[name]
    await teller.tell(secret, 'tasks.move', { params, body: { workspace, project: place.project, column } })
    if (status === 'done') await teller.tell(secret, 'tasks.complete', { params })
    else await teller.tell(secret, 'tasks.update', { params, body: { status } })
  }
  for (const [who, body] of task.said ?? []) {
    await teller.tell(cast.secrets[who], 'task_comments.create', {
      params: { task_id: params.id },
      body: { workspace, body },
    })
  }
}

async function countMoney(teller: Teller, cast: Cast, workspace: string, project: string): Promise<void> {
  const ada = (operation: string, body: object) =>
    teller.tell(cast.secrets.ada, operation, { body: { workspace, ...body } })
  const currency = 'EUR'
  await ada('billing_rates.create', { scope: 'workspace', currency, amount_minor: rates.workspace })
  await ada('billing_rates.create', { scope: 'project', target: project, currency, amount_minor: rates.project })
  await ada('billing_rates.create', { scope: 'user', target: cast.users.jonas, currency, amount_minor: rates.jonas })
  for (const { category, vendor, gross, tax_rate, day, purpose, becomes } of expenses) {
    const net = Math.round((gross * 10_000) / (10_000 + tax_rate))
    const amounts = {
      gross_amount_minor: gross,
      net_amount_minor: net,
      tax_amount_minor: gross - net,
      tax_rate_bp: tax_rate,
    }
    const expense_date = new Date(teller.ends - day * day_ms).toISOString().slice(0, 10)
    const more = { category, vendor, business_purpose: purpose, expense_date, currency, project }
    const { id } = await ada('expenses.create', { ...more, ...amounts })
    for (const status of expense_ways[becomes]) await setExpense(teller.services, id, status)
  }
  for (const { net, tax, status } of invoices) {
    const amounts = { net_amount_minor: net, tax_amount_minor: tax, gross_amount_minor: net + tax }
    await ada('invoice_drafts.create', { project, currency, ...amounts, status })
  }
}

/** The states that an expense passes through until it is where it stands now. */
const expense_ways = {
  draft: [],
  submitted: ['submitted'],
  approved: ['submitted', 'approved'],
  rejected: ['submitted', 'rejected'],
  reimbursed: ['submitted', 'approved', 'reimbursed'],
} as const

/** Which note of the whiteboard belongs to which task. */
const noted: Readonly<Record<string, string>> = {
  seat: seat_map,
  hold: 'Hold a seat for ten minutes',
  pay: 'Pay by card and by phone',
  ticket: 'Tickets that work without a network',
  question: 'Refund a cancelled crossing',
}

async function draw(teller: Teller, setting: Setting, tasks: MadeProject['tasks']): Promise<void> {
  const { organization, realm } = setting
  const links = Object.entries(noted).map(([note, title]) => [
    note,
    `${teller.services.settings.publicUrl}/work/tasks/${tasks[title]}`,
  ])
  const file = whiteboard(Object.fromEntries(links))
  await importBoard(teller.services, { organization, realm, mode: 'live', file, name: 'How a booking goes' })
}

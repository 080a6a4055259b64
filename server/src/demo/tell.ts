/**
 * Fills a new organization with six days of work: a board, a whiteboard, active flows, hours and money, with all
 * events, audit entries and requests, by the people who work there. Everything is created with the API's own
 * operations, except objects that the API only reads, which are created with the console's functions.
 */
import { readFileSync } from 'node:fs'
import { seconds } from '../lib/clock.ts'
import { projectFile } from '../lib/project-file.ts'
import { importBoard } from '../resources/board_items/import.ts'
import { addMember, setMember } from '../resources/members/write.ts'
import type { Founded } from '../resources/organizations/found.ts'
import { addSavedFilter } from '../resources/saved_filters/write.ts'
import { addTaskTemplate } from '../resources/task_templates/write.ts'
import {
  app_tasks,
  columns,
  custom_fields,
  type DemoTask,
  fieldsOf,
  office_tasks,
  saved_filters,
  seat_map,
  templates,
  workspace_title,
} from './board.ts'
import { type Days, finish, liveThrough, type MadeProject } from './days.ts'
import { type Name, owner, people } from './people.ts'
import type { Sent, Teller } from './teller.ts'
import { whiteboard } from './whiteboard.ts'

const day_ms = 86_400_000
const day_of_story = 24

/** How long before its end the story begins. */
export const story_hours = 6 * day_of_story

/** User ids. */
type Cast = Readonly<Record<Name, string>>

/** Tells the whole story. Rejects if the API refuses a part of it, for example because the credits do not suffice. */
export async function tellStory(teller: Teller, founded: Founded): Promise<void> {
  const users = await introduce(teller, founded)
  const ada = (operation: string, sent: Sent) => teller.tell(users.ada, operation, sent)
  const workspace = (await ada('workspaces.create', { body: { title: workspace_title } })).id
  for (const field of custom_fields) await ada('custom_fields.create', { body: { workspace, ...field } })
  const portfolio = (await ada('portfolios.create', { body: { workspace, name: 'Next season' } })).id
  const description = 'Book a crossing in a minute, on any phone, also with a car.'
  const app = { workspace, name: 'Booking app', description, portfolio }
  const booking = await makeProject(teller, users, app, app_tasks)
  const office = await makeProject(teller, users, { workspace, name: 'Harbour office' }, office_tasks)
  const days = { teller, users, workspace, booking, office }
  await addFiltersAndTemplates(days, founded)
  await draw(days, founded)
  const drafts = await draft(days)
  await liveThrough(days)
  teller.goTo(0)
  await activate(days, drafts)
  await finish(days)
}

/** Adds the people and lets them act. */
async function introduce(teller: Teller, { organization, user, realms }: Founded): Promise<Cast> {
  const { services } = teller
  await teller.admit(organization, realms.live, user)
  const { data } = await teller.tell(user, 'members.list', {})
  await setMember(services, data[0].id, owner)
  const users: Record<string, string> = { ada: user }
  for (const [name, person] of Object.entries(people)) {
    const added = (await addMember(services, organization, person)).user
    users[name] = added
    if (person.status === 'active') await teller.admit(organization, realms.live, added)
  }
  return users as Cast
}

/** The project as planned: all tasks are in the first column. */
async function makeProject(
  teller: Teller,
  users: Cast,
  body: { readonly workspace: string; readonly name: string },
  planned: readonly DemoTask[],
): Promise<MadeProject> {
  const ada = (operation: string, sent: Sent) => teller.tell(users.ada, operation, sent)
  const { workspace } = body
  const project = (await ada('projects.create', { body })).id
  const made: Record<string, string> = {}
  for (const { name, color, status } of columns) {
    made[name] = (await ada('columns.create', { body: { workspace, project, name, color, status } })).id
  }
  const tasks: Record<string, string> = {}
  for (const task of planned) {
    const parent = task.parent === undefined ? null : tasks[task.parent]
    tasks[task.title] = await makeTask(teller, users, task, { workspace, project, column: made.Ideas, parent })
  }
  for (const { title, after = [] } of planned) {
    for (const first of after) {
      const params = { task_id: tasks[first] as string }
      await ada('task_dependencies.create', { params, body: { workspace, to: tasks[title], kind: 'blocks' } })
    }
  }
  return { project, columns: made, tasks }
}

async function makeTask(teller: Teller, users: Cast, task: DemoTask, place: object): Promise<string> {
  const { title, description = '', priority, labels = [], starts, due, assignee, author = assignee ?? 'ada' } = task
  const end = teller.ends
  const dayAt = (days: number | undefined) => (days === undefined ? null : seconds(end + days * day_ms))
  const body = {
    ...place,
    title,
    description,
    priority,
    labels,
    assignee: assignee === null ? null : users[assignee],
    start_at: dayAt(starts),
    due_at: dayAt(due),
    custom_fields: fieldsOf(task, end),
  }
  return (await teller.tell(users[author], 'tasks.create', { body })).id
}

/** Adds what the contract only reads, as the console would. */
async function addFiltersAndTemplates(
  { teller, users, workspace }: Days,
  { organization, realms }: Founded,
): Promise<void> {
  const author = teller.authorOf(users.ada)
  const place = { organization, realm: realms.live, mode: 'live', workspace, author } as const
  for (const filter of saved_filters) await addSavedFilter(teller.services, { ...place, ...filter })
  for (const template of templates) await addTaskTemplate(teller.services, { ...place, ...template })
}

/** Note of the whiteboard → title of its task. */
const note_tasks: Readonly<Record<string, string>> = {
  seat: seat_map,
  hold: 'Hold a seat for ten minutes',
  pay: 'Pay by card and by phone',
  ticket: 'Tickets that work without a network',
  question: 'Refund a cancelled crossing',
}

async function draw({ teller, users, booking }: Days, { organization, realms }: Founded): Promise<void> {
  const { services } = teller
  const links = Object.entries(note_tasks).map(([note, title]) => [
    note,
    `${services.settings.publicUrl}/work/tasks/${booking.tasks[title]}`,
  ])
  const file = whiteboard(Object.fromEntries(links))
  const author = teller.authorOf(users.mei)
  const board = { organization, realm: realms.live, mode: 'live', author, name: 'How a booking goes' } as const
  const { project } = booking
  await importBoard(services, { ...board, project, file })
}

/** The flows of `examples/flows`; the last one stays a draft. */
const flows = [
  { file: 'tell-unblocked', name: 'Notify when unblocked', isActive: true },
  { file: 'remind-before-due', name: 'Remind a day before', isActive: true },
  { file: 'plan-the-week', name: 'Plan the week', isActive: false },
] as const

/** Creates the flows and returns the ids of those to activate. */
async function draft({ teller, users, workspace }: Days): Promise<string[]> {
  const drafts: string[] = []
  for (const { file, name, isActive } of flows) {
    const graph = JSON.parse(readFileSync(projectFile(`examples/flows/${file}.json`), 'utf8'))
    const { id } = await teller.tell(users.ada, 'automation_flows.create', { body: { workspace, name, graph } })
    if (isActive) drafts.push(id)
  }
  return drafts
}

/** Runs at the present: a preview expires after 15 minutes, and a worker may delete it before it is used. */
async function activate({ teller, users, workspace, booking }: Days, drafts: readonly string[]): Promise<void> {
  const [task] = Object.values(booking.tasks)
  for (const id of drafts) {
    const params = { id }
    const seen = { params, body: { workspace, task } }
    const { preview_token } = await teller.tell(users.ada, 'automation_flows.preview', seen)
    const body = { workspace, preview_token, scope_acknowledged: true }
    await teller.tell(users.ada, 'automation_flows.activate', { params, body })
  }
}

/**
 * What happens on the days of the story, each at its hour: tasks move to their final column, people comment, enter
 * hours and expenses. Time only moves forward, so everything is collected first and then created in the order of its
 * hours.
 */
import { seconds } from '../lib/clock.ts'
import { setExpense } from '../resources/expenses/write.ts'
import { app_tasks, columns, type DemoTask, office_tasks, seat_map } from './board.ts'
import { expenses, hours, invoices, rates } from './money.ts'
import type { Name } from './people.ts'
import type { Teller } from './teller.ts'

const day_ms = 86_400_000
const minute_ms = 60_000
const hour_ms = 3_600_000
const day_hours = 24

/** Happens this number of hours before the story's end. */
interface Beat {
  readonly hours: number
  readonly happen: () => Promise<unknown>
}

export interface MadeProject {
  readonly project: string
  /** Column ids by their names. */
  readonly columns: Readonly<Record<string, string>>
  /** Task ids by their titles. */
  readonly tasks: Readonly<Record<string, string>>
}

export interface Days {
  readonly teller: Teller
  /** User ids. */
  readonly users: Readonly<Record<Name, string>>
  readonly workspace: string
  readonly booking: MadeProject
  readonly office: MadeProject
}

/** The flows react to the last step of this task, so it is taken when they are active. */
const finished_last = app_tasks.find(({ title }) => title === seat_map) as DemoTask

/** Tells all days up to the present. */
export async function liveThrough(days: Days): Promise<void> {
  const beats = [...workBeats(days), ...hourBeats(days), ...spendingBeats(days), ...billingBeats(days)]
  for (const { hours, happen } of beats.toSorted((a, b) => b.hours - a.hours)) {
    days.teller.goTo(hours)
    await happen()
  }
}

/** Takes the last step of the task that was left for the end. */
export async function finish(days: Days): Promise<void> {
  await step(days, finished_last, 'Done')
}

/** When tasks move, and the longest time between two columns, in hours before the end. */
const work_from = 130
const work_until = 1
const step_hours = 15

/**
 * The tasks that get furthest start first, and more happens towards the end. A comment follows the steps of its task.
 */
function workBeats(days: Days): Beat[] {
  const moving = [...app_tasks, ...office_tasks]
    .filter(({ column, said }) => column !== 'Ideas' || said !== undefined)
    .toSorted((a, b) => columnAt(b) - columnAt(a))
  return moving.flatMap((task, at) => {
    const begun = 3 + (work_from - 3) * (1 - at / moving.length) ** 1.5
    const steps = stepsOf(task)
    const said = task.said ?? []
    const pace = Math.min(step_hours, (begun - work_until) / (steps.length + said.length))
    const acts = [
      ...steps.map((column) => () => step(days, task, column)),
      ...said.map(
        ([who, body]) =>
          () =>
            comment(days, task, who, body),
      ),
    ]
    return acts.map((happen, nth) => ({ hours: begun - nth * pace, happen }))
  })
}

function columnAt(task: DemoTask): number {
  return columns.findIndex(({ name }) => name === task.column)
}

/** The columns that a task passes before its last one. */
function stepsOf(task: DemoTask): readonly string[] {
  const last = columnAt(task)
  return columns.slice(1, task === finished_last ? last : last + 1).map(({ name }) => name)
}

async function step({ teller, users, workspace, ...days }: Days, task: DemoTask, name: string): Promise<void> {
  const place = placeOf(days, task.title)
  const user = users[task.assignee ?? 'ada']
  const params = { id: place.tasks[task.title] as string }
  const body = { workspace, project: place.project, column: place.columns[name] }
  await teller.tell(user, 'tasks.move', { params, body })
}

async function comment({ teller, users, workspace, ...days }: Days, task: DemoTask, who: Name, text: string) {
  // The owner takes a name with the set-up link; a quotation of the comment, as in the inbox, keeps the written one.
  const body = text.replaceAll('@ada', `[@Owner](atrium:${users.ada})`)
  const params = { task_id: placeOf(days, task.title).tasks[task.title] as string }
  await teller.tell(users[who], 'task_comments.create', { params, body: { workspace, body } })
}

function placeOf({ booking, office }: Pick<Days, 'booking' | 'office'>, title: string): MadeProject {
  return title in booking.tasks ? booking : office
}

/** Time entries are added when the work is done. */
function hourBeats({ teller, users, workspace, ...days }: Days): Beat[] {
  return hours.map(({ who, task: title, day, from, minutes, note }) => {
    const began = Math.floor(teller.ends / day_ms - day) * day_ms + from * hour_ms
    const task = placeOf(days, title).tasks[title]
    const times = { started_at: seconds(began), duration_ms: minutes * minute_ms }
    const body = { workspace, task, ...times, note, billable: true }
    return {
      hours: teller.hoursTo(began + minutes * minute_ms),
      happen: () => teller.tell(users[who], 'time_entries.create', { body }),
    }
  })
}

/** The states that an expense passes through to its final one. */
const expense_ways = {
  draft: [],
  submitted: ['submitted'],
  approved: ['submitted', 'approved'],
  rejected: ['submitted', 'rejected'],
  reimbursed: ['submitted', 'approved', 'reimbursed'],
} as const

/**
 * The person who paid enters and submits the expense on that day; the owner decides, with some hours between the steps.
 */
function spendingBeats({ teller, users, workspace, booking }: Days): Beat[] {
  return expenses.flatMap(({ who, category, vendor, gross, tax_rate, day, purpose, becomes }) => {
    const net = Math.round((gross * 10_000) / (10_000 + tax_rate))
    const amounts = { gross_amount_minor: gross, net_amount_minor: net, tax_amount_minor: gross - net }
    const expense_date = new Date(teller.ends - day * day_ms).toISOString().slice(0, 10)
    const details = { category, vendor, business_purpose: purpose, expense_date, project: booking.project }
    const body = { workspace, ...details, currency: 'EUR', ...amounts, tax_rate_bp: tax_rate }
    const hours = day * day_hours - 8
    const made = Promise.withResolvers<string>()
    const create = async () => made.resolve((await teller.tell(users[who], 'expenses.create', { body })).id)
    const decide = async (status: (typeof expense_ways)['reimbursed' | 'rejected'][number]) => {
      const by = status === 'submitted' ? users[who] : users.ada
      await setExpense(teller.services, await made.promise, status, teller.authorOf(by))
    }
    const later = expense_ways[becomes].map((status, nth) => ({
      hours: hours - 11 * (nth + 1),
      happen: () => decide(status),
    }))
    return [{ hours, happen: create }, ...later]
  })
}

function billingBeats({ teller, users, workspace, booking: { project } }: Days): Beat[] {
  const currency = 'EUR'
  const ada = (operation: string, body: object) => () =>
    teller.tell(users.ada, operation, { body: { workspace, currency, ...body } })
  const charged = [
    { scope: 'workspace', amount_minor: rates.workspace },
    { scope: 'project', target: project, amount_minor: rates.project },
    { scope: 'user', target: users.jonas, amount_minor: rates.jonas },
  ]
  return [
    ...charged.map((rate) => ({ hours: 132, happen: ada('billing_rates.create', rate) })),
    ...invoices.map(({ net, tax, status, hours_ago }) => {
      const amounts = { net_amount_minor: net, tax_amount_minor: tax, gross_amount_minor: net + tax }
      return { hours: hours_ago, happen: ada('invoice_drafts.create', { project, status, ...amounts }) }
    }),
  ]
}

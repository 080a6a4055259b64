/** The demo's work: a ferry company replaces its booking system. Data only; `tell.ts` creates it. */
import type { Task } from '../resources/tasks/task.ts'
import type { Name } from './people.ts'

const day_ms = 86_400_000

export const workspace_title = 'Harbour Ferries'

export type ColumnName = 'Ideas' | 'Ready' | 'In progress' | 'Review' | 'Done'

export const columns: readonly {
  readonly name: ColumnName
  readonly color: string
  readonly status: Task['status']
}[] = [
  { name: 'Ideas', color: '#8b8fa3', status: 'backlog' },
  { name: 'Ready', color: '#3b82c4', status: 'todo' },
  { name: 'In progress', color: '#c98a1b', status: 'in_progress' },
  { name: 'Review', color: '#8a5cc2', status: 'in_review' },
  { name: 'Done', color: '#3f9a63', status: 'done' },
]

/** The custom fields of the workspace. */
export const custom_fields = [
  { key: 'points', name: 'Points', type: 'number' },
  {
    key: 'stage',
    name: 'Stage',
    type: 'select',
    options: [
      { id: 'idea', name: 'Idea', color: '#8b8fa3' },
      { id: 'prototype', name: 'Prototype', color: '#3b82c4' },
      { id: 'pilot', name: 'Pilot', color: '#c98a1b' },
      { id: 'live', name: 'Live', color: '#3f9a63' },
    ],
  },
  { key: 'launch_date', name: 'Launch date', type: 'date' },
] as const

/** Stage of a task with points, by the column that it reaches. */
const stages: Readonly<Record<ColumnName, string>> = {
  Ideas: 'idea',
  Ready: 'idea',
  'In progress': 'prototype',
  Review: 'pilot',
  Done: 'live',
}

const launch_days = 21

/** The custom fields of a task; `ends` is the story's end in milliseconds. A large task launches three weeks later. */
export function fieldsOf({ points, column }: DemoTask, ends: number): Task['custom_fields'] {
  if (points === undefined) return {}
  const stage = stages[column]
  if (points < 5) return { points, stage }
  const launch = new Date(ends + launch_days * day_ms + points * day_ms)
  return { points, stage, launch_date: launch.toISOString().slice(0, 'YYYY-MM-DD'.length) }
}

export interface DemoTask {
  readonly title: string
  readonly column: ColumnName
  readonly assignee: Name | null
  /** Who creates it; its assignee if left out. */
  readonly author?: Name
  readonly priority: Task['priority']
  /** Days from the story's end; open tasks with a negative number are overdue. */
  readonly due?: number
  readonly starts?: number
  readonly labels?: readonly string[]
  readonly points?: number
  readonly description?: string
  /** Title of an earlier task. */
  readonly parent?: string
  /** Titles of tasks that block this one. */
  readonly after?: readonly string[]
  /** Comments; `@ada` mentions her. */
  readonly said?: readonly (readonly [Name, string])[]
}

export const seat_map = 'Draw the decks as a map'
const hold_seat = 'Hold a seat for ten minutes'
const pay = 'Pay by card and by phone'
const refund = 'Refund a cancelled crossing'
const tickets = 'Tickets that work without a network'
const pilot = 'Pilot on the island line'
const prices = 'Prices for children, bicycles and cars'

/** In the order of creation, oldest first. */
export const app_tasks: readonly DemoTask[] = [
  {
    title: 'Interview ten regular passengers',
    column: 'Done',
    assignee: 'mei',
    priority: 'high',
    starts: -6,
    due: -4,
    labels: ['research'],
    points: 5,
  },
  {
    title: 'Timetable as an open API',
    column: 'Done',
    assignee: 'jonas',
    priority: 'high',
    starts: -6,
    due: -3,
    labels: ['api'],
    points: 8,
  },
  {
    title: seat_map,
    column: 'Done',
    assignee: 'mei',
    priority: 'medium',
    starts: -5,
    due: -2,
    labels: ['design', 'booking'],
    points: 5,
    said: [['priya', 'The car deck has two heights, see the board. Lorries only fit on the left.']],
  },
  {
    title: 'Crossings and capacity in the database',
    column: 'Done',
    assignee: 'priya',
    priority: 'high',
    starts: -6,
    due: -4,
    labels: ['api'],
    points: 8,
  },
  {
    title: hold_seat,
    column: 'Review',
    assignee: 'priya',
    priority: 'urgent',
    starts: -4,
    due: 1,
    labels: ['booking', 'api'],
    points: 5,
    after: [seat_map],
    description:
      'A passenger who picks a seat keeps it for ten minutes, also if two tap it in the same second.\n\nDone when a thousand simultaneous taps on one seat give exactly one hold.',
    said: [
      ['priya', 'A thousand at once: one hold, 999 polite refusals. Ready for review.'],
      ['jonas', 'What happens at the tenth minute, if the payment is just under way?'],
      ['priya', 'The hold is extended when the payment begins. I added a case for it.'],
    ],
  },
  {
    title: pay,
    column: 'In progress',
    assignee: 'jonas',
    priority: 'high',
    starts: -3,
    due: 3,
    labels: ['booking', 'payments'],
    points: 8,
    after: [hold_seat],
    description: `A passenger who holds a seat pays on the same page.

- [x] Cards, with strong authentication
- [x] A receipt by mail
- [ ] By phone, for passengers without a card
- [ ] Refuse a second payment for the same seat

| Way | Share of bookings today |
| --- | ---: |
| At the pier | 71 % |
| By phone to the office | 29 % |`,
    said: [
      ['tomas', 'Passengers ask for this every day, mostly on the evening boats.'],
      ['jonas', '@ada the bank wants to know who signs for the account. Can you call them this week?'],
    ],
  },
  {
    title: prices,
    column: 'In progress',
    assignee: 'tomas',
    priority: 'medium',
    starts: -2,
    due: 4,
    labels: ['booking'],
    points: 3,
  },
  {
    title: 'Collect the fares of this year',
    parent: prices,
    column: 'Done',
    assignee: 'tomas',
    priority: 'medium',
  },
  {
    title: 'Agree on the ages of children',
    parent: prices,
    column: 'Done',
    assignee: 'ada',
    author: 'tomas',
    priority: 'medium',
  },
  {
    title: 'Enter the prices of the winter timetable',
    parent: prices,
    column: 'In progress',
    assignee: 'tomas',
    priority: 'medium',
  },
  {
    title: 'Screen reader reads the departures in order',
    column: 'In progress',
    assignee: 'mei',
    priority: 'high',
    starts: -3,
    due: -1,
    labels: ['accessibility', 'bug'],
    points: 2,
    description:
      'The board is a table that is announced by column, so one hears all times first and then all harbours.',
  },
  {
    title: tickets,
    column: 'Ready',
    assignee: 'jonas',
    priority: 'high',
    starts: 3,
    due: 9,
    labels: ['booking'],
    points: 8,
    after: [pay],
  },
  {
    title: refund,
    column: 'Ready',
    assignee: 'priya',
    priority: 'medium',
    starts: 4,
    due: 10,
    labels: ['payments'],
    points: 5,
    after: [pay],
  },
  {
    title: 'Departure changes by text message',
    column: 'Ready',
    assignee: 'tomas',
    priority: 'medium',
    starts: 8,
    due: 12,
    labels: ['support'],
    points: 3,
  },
  {
    title: 'Crew app: scan and count',
    column: 'Ready',
    assignee: null,
    priority: 'medium',
    labels: ['crew'],
    points: 5,
    after: [tickets],
  },
  {
    title: pilot,
    column: 'Ideas',
    assignee: 'ada',
    priority: 'high',
    starts: 14,
    due: 21,
    labels: ['launch'],
    points: 3,
    after: [tickets, refund],
    description: `Two weeks with real passengers on one line before the others follow.

1. Ten crossings with staff on the pier
2. A week without them
3. Decide with the numbers: holds, payments, refunds`,
    said: [['tomas', 'The island council asks for a date that they can print. @ada, is this one certain?']],
  },
  { title: 'Season tickets', column: 'Ideas', assignee: null, priority: 'low', labels: ['booking'], points: 8 },
  { title: 'Gift vouchers', column: 'Ideas', assignee: null, priority: 'low', labels: ['booking'], points: 3 },
  {
    title: 'Waiting list for full crossings',
    column: 'Ideas',
    assignee: null,
    priority: 'medium',
    labels: ['booking'],
    points: 5,
  },
  {
    title: 'Weather on the departure page',
    column: 'Ideas',
    assignee: 'mei',
    priority: 'none',
    labels: ['design'],
    points: 2,
  },
]

export const office_tasks: readonly DemoTask[] = [
  {
    title: 'Renew the berth lease at North Quay',
    column: 'In progress',
    assignee: 'ada',
    priority: 'urgent',
    starts: -2,
    due: 2,
    labels: ['contracts'],
    description: 'The lease ends with the year. Without North Quay there is no evening boat.',
    said: [['priya', 'The port has sent the new terms. @ada, page 4 shortens the period of notice.']],
  },
  {
    title: 'Winter timetable to the printer',
    column: 'Ready',
    assignee: 'tomas',
    priority: 'high',
    starts: 1,
    due: 5,
    labels: ['timetable'],
  },
  {
    title: 'Safety drill on the Marigold',
    column: 'Ready',
    assignee: 'tomas',
    priority: 'high',
    starts: 5,
    due: 6,
    labels: ['crew'],
  },
  { title: 'Insurance for the new tender', column: 'Done', assignee: 'ada', priority: 'medium', labels: ['contracts'] },
  {
    title: 'Hire a second engineer for the dock',
    column: 'Ideas',
    assignee: 'ada',
    author: 'jonas',
    priority: 'medium',
    labels: ['people'],
  },
  { title: 'Lost property: who answers?', column: 'Ideas', assignee: 'tomas', priority: 'low', labels: ['support'] },
]

export const saved_filters = [
  { name: 'Due this week or late', filter: 'due_at != null status != "done"', sort: 'due_at' },
  { name: 'Unassigned', filter: 'assignee = null -status:"done"', sort: '-priority' },
  { name: 'Urgent and high, open', filter: 'priority >= high status != "done"', sort: '-priority,due_at' },
] as const

export const templates = [
  {
    name: 'Bug report',
    description: 'A fault that a passenger or colleague found.',
    defaults: {
      title: 'Bug: ',
      description: 'What happened?\n\nWhat should have happened?\n\nWhere, and how often?',
      priority: 'high',
      labels: ['bug'],
      due_in_seconds: 259_200,
    },
  },
  {
    name: 'New line',
    description: 'The preparations before a ship sails a new route.',
    defaults: { title: 'Open the line to ', description: 'Berth, timetable, prices, crew, signs.', labels: ['launch'] },
  },
] as const

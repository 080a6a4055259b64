/** The demo's hours and money. */
import type { Name } from './people.ts'

/** Who worked on what: days before the story's end, the hour at which it began (UTC), and the duration. */
export const hours: readonly {
  readonly who: Name
  readonly task: string
  readonly day: number
  readonly from: number
  readonly minutes: number
  readonly note: string
}[] = [
  { who: 'mei', task: 'Draw the decks as a map', day: 5, from: 8, minutes: 210, note: 'Car deck, both heights' },
  { who: 'priya', task: 'Crossings and capacity in the database', day: 5, from: 7, minutes: 330, note: '' },
  { who: 'jonas', task: 'Timetable as an open API', day: 5, from: 9, minutes: 180, note: 'Cursors and ETags' },
  {
    who: 'tomas',
    task: 'Prices for children, bicycles and cars',
    day: 4,
    from: 8,
    minutes: 90,
    note: 'With the ticket office',
  },
  { who: 'priya', task: 'Hold a seat for ten minutes', day: 4, from: 7, minutes: 300, note: '' },
  { who: 'mei', task: 'Draw the decks as a map', day: 4, from: 10, minutes: 150, note: '' },
  { who: 'priya', task: 'Hold a seat for ten minutes', day: 3, from: 7, minutes: 270, note: 'A thousand taps at once' },
  { who: 'jonas', task: 'Pay by card and by phone', day: 3, from: 8, minutes: 240, note: '' },
  { who: 'ada', task: 'Renew the berth lease at North Quay', day: 2, from: 9, minutes: 60, note: 'Call with the port' },
  { who: 'jonas', task: 'Pay by card and by phone', day: 2, from: 8, minutes: 280, note: 'Strong authentication' },
  { who: 'mei', task: 'Screen reader reads the departures in order', day: 2, from: 8, minutes: 120, note: '' },
  { who: 'priya', task: 'Hold a seat for ten minutes', day: 1, from: 7, minutes: 150, note: 'Review' },
  { who: 'jonas', task: 'Pay by card and by phone', day: 1, from: 8, minutes: 320, note: '' },
  { who: 'tomas', task: 'Winter timetable to the printer', day: 1, from: 10, minutes: 75, note: '' },
]

interface DemoExpense {
  readonly who: Name
  readonly category: string
  readonly vendor: string
  readonly gross: number
  /** Basis points. */
  readonly tax_rate: number
  readonly day: number
  readonly purpose: string
  readonly becomes: 'draft' | 'submitted' | 'approved' | 'reimbursed' | 'rejected'
}

/** Amounts in cents. */
export const expenses: readonly DemoExpense[] = [
  {
    who: 'mei',
    category: 'Travel',
    vendor: 'Night train',
    gross: 12_840,
    tax_rate: 700,
    day: 6,
    purpose: 'Interviews on the islands',
    becomes: 'reimbursed',
  },
  {
    who: 'jonas',
    category: 'Hardware',
    vendor: 'Quayside Electronics',
    gross: 45_220,
    tax_rate: 1900,
    day: 5,
    purpose: 'Ticket scanners for the pilot',
    becomes: 'approved',
  },
  {
    who: 'priya',
    category: 'Software',
    vendor: 'Maps and Charts',
    gross: 9_900,
    tax_rate: 1900,
    day: 3,
    purpose: 'Sea charts for the app',
    becomes: 'submitted',
  },
  {
    who: 'tomas',
    category: 'Meals',
    vendor: 'Harbour Kitchen',
    gross: 6_450,
    tax_rate: 700,
    day: 2,
    purpose: 'Workshop lunch',
    becomes: 'draft',
  },
]

/** Cents per hour. */
export const rates = { workspace: 9_500, project: 11_000, jonas: 12_500 } as const

/** Cents: net, tax. */
export const invoices = [
  { net: 418_000, tax: 79_420, status: 'ready', hours_ago: 46 },
  { net: 126_500, tax: 24_035, status: 'draft', hours_ago: 5 },
] as const

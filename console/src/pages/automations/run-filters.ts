/** The filters of a list of runs: in the address of the page, so that Back works and a link shares them, and as the API takes them. */
import { useSearch } from 'wouter'
import { useUrlChange } from '../../data/index.ts'

export const run_statuses = [
  'queued',
  'running',
  'sleeping',
  'retrying',
  'succeeded',
  'failed',
  'canceled',
  'skipped',
] as const

export type RunStatus = (typeof run_statuses)[number]

/** Whole days of the reader's time zone that end today. */
export const day_counts = { today: 1, '7d': 7, '30d': 30 } as const

/** A range of days `YYYY-MM-DD`, both included; an empty end is open. */
export interface Days {
  readonly from: string
  readonly until: string
}

export type RunTime = keyof typeof day_counts | Days

export interface RunFilters {
  /** Id or key. */
  readonly task: string | null
  readonly flow: string | null
  readonly outcomes: readonly RunStatus[]
  readonly time: RunTime | null
}

export const no_filters: RunFilters = { task: null, flow: null, outcomes: [], time: null }

const day_form = /^\d{4}-\d{2}-\d{2}$/

/** Reads the filters of an address; what no filter can mean is left out. */
export function runFiltersOf(search: string): RunFilters {
  const params = new URLSearchParams(search)
  const named = new Set((params.get('outcome') ?? '').split(','))
  return {
    task: params.get('task') || null,
    flow: params.get('flow') || null,
    outcomes: run_statuses.filter((status) => named.has(status)),
    time: timeOf(params.get('time') ?? ''),
  }
}

function timeOf(text: string): RunTime | null {
  if (text in day_counts) return text as keyof typeof day_counts
  const [from = '', until = '', ...more] = text.split('..')
  if (!text.includes('..') || more.length > 0 || (from === '' && until === '')) return null
  return isDay(from) && isDay(until) ? { from, until } : null
}

function isDay(text: string): boolean {
  return text === '' || (day_form.test(text) && !Number.isNaN(new Date(`${text}T00:00:00`).getTime()))
}

export function timeText(time: RunTime): string {
  return typeof time === 'string' ? time : `${time.from}..${time.until}`
}

export function hasFilters({ task, flow, outcomes, time }: RunFilters): boolean {
  return task !== null || flow !== null || outcomes.length > 0 || time !== null
}

/** The filters of the page, and a function that changes some of them in one step of the history. */
export function useRunFilters() {
  const filters = runFiltersOf(useSearch())
  const change = useUrlChange()
  const set = ({ outcomes, time, ...ids }: Partial<RunFilters>) =>
    change({
      ...ids,
      ...(outcomes === undefined ? {} : { outcome: outcomes.join() }),
      ...(time === undefined ? {} : { time: time === null ? null : timeText(time) }),
    })
  return { filters, set }
}

/** The parameters of the list. Days are those of the reader's time zone; the API's times are exclusive. `now` is in milliseconds. */
export function runQuery({ task, flow, outcomes, time }: RunFilters, now: number) {
  return {
    ...(task === null ? {} : { task }),
    ...(flow === null ? {} : { automation_flow: flow }),
    ...(outcomes.length === 0 ? {} : { status: outcomes }),
    ...(time === null ? {} : rangeOf(time, now)),
  }
}

function rangeOf(time: RunTime, now: number): { created_after?: number; created_before?: number } {
  if (typeof time === 'string') {
    const today = new Date(now)
    return { created_after: startOf(today, 1 - day_counts[time]) - 1 }
  }
  const day = (text: string) => new Date(`${text}T00:00:00`)
  return {
    ...(time.from !== '' && { created_after: startOf(day(time.from), 0) - 1 }),
    ...(time.until !== '' && { created_before: startOf(day(time.until), 1) }),
  }
}

/** The start of the day that is `more` days later, in Unix seconds; 1 at the earliest, so that a second before it is a time. */
function startOf(at: Date, more: number): number {
  const start = new Date(at.getFullYear(), at.getMonth(), at.getDate() + more)
  return Math.max(1, Math.floor(start.getTime() / 1000))
}

/** What the reports show: the days of a period, spreads of durations and ages, and the filters of the tasks behind numbers. Pure. */
import type { FlowTask } from '../../../data/shapes.ts'
import { dateFormat } from '../../../design/time-format.ts'
import { t, textLanguage } from '../../../language/index.ts'
import { addDays, type Day, startOf } from '../calendar/days.ts'

export const periods = [
  { value: '7', label: t('7 days') },
  { value: '14', label: t('14 days') },
  { value: '30', label: t('30 days') },
] as const

const day_seconds = 86_400

/** The starts of the days of a period that ends today, and the end of today, in Unix seconds. */
export function boundsOf(count: number, today: Day): readonly number[] {
  return Array.from({ length: count + 1 }, (_, i) => startOf(addDays(today, i + 1 - count)))
}

const short_day = dateFormat({ month: 'short', day: 'numeric' })

/** Nov 23. */
export function dayText(at: number): string {
  return short_day().format(at * 1000)
}

export interface ReportScope {
  readonly project: string | null
  readonly label: string | null
}

/** A filter within the scope of the report. */
export function inScope({ project, label }: ReportScope, ...conditions: readonly string[]): string {
  return [
    ...(project === null ? [] : [`project = ${project}`]),
    ...(label === null ? [] : [`labels:${JSON.stringify(label)}`]),
    ...conditions,
  ].join(' AND ')
}

export function listHref(filter: string, sort = ''): string {
  return `/work/tasks?${new URLSearchParams({ filter, ...(sort !== '' && { sort }) })}`
}

export const open_tasks = 'NOT status IN (done, canceled)'

export interface Range {
  readonly name: string
  /** In days; null without an end. */
  readonly from: number
  readonly until: number | null
}

export const age_ranges: readonly Range[] = [
  { name: t('Up to a week'), from: 0, until: 7 },
  { name: t('1 to 2 weeks'), from: 7, until: 14 },
  { name: t('2 to 4 weeks'), from: 14, until: 28 },
  { name: t('1 to 3 months'), from: 28, until: 91 },
  { name: t('Older'), from: 91, until: null },
]

/** Open tasks that were created so long before today's end. */
export function ageFilter({ from, until }: Range, today: Day): string {
  const end = startOf(addDays(today, 1))
  const conditions = [
    ...(from === 0 ? [] : [`created < ${end - from * day_seconds}`]),
    ...(until === null ? [] : [`created >= ${end - until * day_seconds}`]),
  ]
  return [open_tasks, ...conditions].join(' AND ')
}

export const cycle_ranges: readonly Range[] = [
  { name: t('Under a day'), from: 0, until: 1 },
  { name: t('1 to 2 days'), from: 1, until: 2 },
  { name: t('2 to 4 days'), from: 2, until: 4 },
  { name: t('4 to 7 days'), from: 4, until: 7 },
  { name: t('1 to 2 weeks'), from: 7, until: 14 },
  { name: t('Longer'), from: 14, until: null },
]

export interface TimedTask extends FlowTask {
  /** Days from the start to the completion. */
  readonly days: number
}

/** The completed tasks that were started, the slowest first. */
export function timedTasks(completed: readonly FlowTask[]): readonly TimedTask[] {
  return completed
    .flatMap((task) =>
      task.started_at === null ? [] : [{ ...task, days: (task.completed_at - task.started_at) / day_seconds }],
    )
    .toSorted((a, b) => b.days - a.days)
}

/** How many of the days lie in each range. */
export function spreadOf(days: readonly number[], ranges: readonly Range[]): readonly number[] {
  return ranges.map(({ from, until }) => days.filter((each) => each >= from && (until === null || each < until)).length)
}

/** The value that a share of the values does not exceed; null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

/** 3.5 days; 4 h. */
export function daysText(days: number | null): string {
  if (days === null) return '–'
  if (days < 1) return `${Math.max(1, Math.round(days * 24))} h`
  const text = days.toLocaleString(textLanguage(), { maximumFractionDigits: 1 })
  return text === '1' ? t('{text} day', { text }) : t('{text} days', { text })
}

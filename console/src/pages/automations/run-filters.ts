/** The filters of a list of runs: in the address of the page, so that Back works and a link shares them, and as the API takes them. */
import { useSearch } from 'wouter'
import { useUrlChange } from '../../data/index.ts'
import { type RunTime, rangeOf, timeOf, timeText } from './run-times.ts'

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

export interface RunFilters {
  /** Id or key. */
  readonly task: string | null
  readonly flow: string | null
  readonly outcomes: readonly RunStatus[]
  readonly time: RunTime | null
}

export const no_filters: RunFilters = { task: null, flow: null, outcomes: [], time: null }

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

/** The parameters of the list. `now` is in milliseconds. */
export function runQuery({ task, flow, outcomes, time }: RunFilters, now: number) {
  return {
    ...(task === null ? {} : { task }),
    ...(flow === null ? {} : { automation_flow: flow }),
    ...(outcomes.length === 0 ? {} : { status: outcomes }),
    ...(time === null ? {} : rangeOf(time, now)),
  }
}

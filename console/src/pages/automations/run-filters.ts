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
  /** Which time of a run `time` is about. */
  readonly timeOf: TimeOfRun
}

export type TimeOfRun = 'created' | 'ended'

export const no_filters: RunFilters = { task: null, flow: null, outcomes: [], time: null, timeOf: 'created' }

/** Reads the filters of an address; what no filter can mean is left out. */
function runFiltersOf(search: string): RunFilters {
  const params = new URLSearchParams(search)
  const named = new Set((params.get('outcome') ?? '').split(','))
  return {
    task: params.get('task') || null,
    flow: params.get('flow') || null,
    outcomes: run_statuses.filter((status) => named.has(status)),
    time: timeOf(params.get('time') ?? ''),
    timeOf: params.get('of') === 'ended' ? 'ended' : 'created',
  }
}

export function hasFilters({ task, flow, outcomes, time }: RunFilters): boolean {
  return task !== null || flow !== null || outcomes.length > 0 || time !== null
}

/** The filters of the page, and a function that changes some of them in one step of the history. */
export function useRunFilters() {
  const filters = runFiltersOf(useSearch())
  const change = useUrlChange()
  const set = ({ outcomes, time, timeOf: of, ...ids }: Partial<RunFilters>) =>
    change({
      ...ids,
      ...(outcomes === undefined ? {} : { outcome: outcomes.join() }),
      ...(of === undefined ? {} : { of: of === 'ended' ? of : null }),
      ...(time === undefined ? {} : { time: time === null ? null : timeText(time) }),
    })
  return { filters, set }
}

/** The parameters of the list. `now` is in milliseconds. */
export function runQuery({ task, flow, outcomes, time, timeOf: of }: RunFilters, now: number) {
  return {
    ...(task === null ? {} : { task }),
    ...(flow === null ? {} : { automation_flow: flow }),
    ...(outcomes.length === 0 ? {} : { status: outcomes }),
    ...(time === null ? {} : of === 'ended' ? endedRange(rangeOf(time, now)) : rangeOf(time, now)),
  }
}

function endedRange({ created_after: after, created_before: before }: ReturnType<typeof rangeOf>) {
  return {
    ...(after === undefined ? {} : { ended_after: after }),
    ...(before === undefined ? {} : { ended_before: before }),
  }
}

/**
 * The tasks of the days of a calendar. A period with few tasks is read as a whole. A fuller one is read by the day, as many
 * tasks of each as are shown, and the server counts the others.
 */
import type { Task } from '@atrium/sdk'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { keys, useAll, useApp, useAtrium, useMode } from '../../../data/index.ts'
import { useHiddenTasks } from '../deletions.ts'
import { type FilterFault, filterFault } from '../task-rows.ts'
import { addDays, type Day, dayOf, startOf } from './days.ts'

/** A period with more tasks is read by the day. */
const period_tasks_max = 400
/** Tasks without a date that are offered for planning. */
const unplanned_max = 100
/** Counts of a full period are this old at most. */
const counts_ms = 15_000

export interface DayTasks {
  /** Undefined while they are read. */
  readonly tasks: readonly Task[] | undefined
  /** All tasks of the day, also those that are not read. */
  readonly count: number
}

interface PeriodTasks {
  readonly of: (day: Day) => DayTasks
  /** The tasks that are read, by day. */
  readonly tasks: readonly Task[]
  readonly isPending: boolean
  readonly fault: FilterFault | null
  readonly error: Error | null
  readonly retry: () => void
}

/** `most`: the tasks of a day that are read of a full period. */
export function usePeriodTasks(filter: string, days: readonly Day[], most: number): PeriodTasks {
  const whole = useWholePeriod(filter, days)
  const isFull = (whole.data?.length ?? 0) >= period_tasks_max
  const full = useFullPeriod(filter, days, most, isFull)
  const hidden = useHiddenTasks()
  const read = isFull ? full.tasks : whole.data
  const byDay = useMemo(() => {
    const shown = read?.filter((task) => task.due_at !== null && !hidden.has(task.id)).toSorted(byTime)
    return Map.groupBy(shown ?? [], (task) => dayOf(task.due_at ?? 0))
  }, [read, hidden])
  const error = whole.error ?? full.error
  const fault = faultOf(error, filter)
  return {
    of: (day) => {
      if (read === undefined || (isFull && !full.isRead(day))) return { tasks: undefined, count: full.count(day) }
      const tasks = byDay.get(day) ?? []
      return { tasks, count: Math.max(tasks.length, full.count(day)) }
    },
    tasks: useMemo(() => days.flatMap((day) => byDay.get(day) ?? []), [days, byDay]),
    isPending: read === undefined && error === null,
    fault,
    error: fault === null ? error : null,
    retry: () => void whole.refetch(),
  }
}

function byTime(a: Task, b: Task): number {
  return (a.due_at ?? 0) - (b.due_at ?? 0) || (a.id < b.id ? -1 : 1)
}

/** The place in the person's filter, which stands in parentheses. */
function faultOf(error: unknown, filter: string): FilterFault | null {
  const fault = filterFault(error)
  return fault === null || fault.at === null ? fault : { ...fault, at: Math.min(fault.at - 1, filter.length) }
}

function within(filter: string, condition: string): string {
  return filter === '' ? condition : `(${filter}) AND ${condition}`
}

function dueWithin(filter: string, first: Day, end: Day): string {
  return within(filter, `due_at >= ${startOf(first)} AND due_at < ${startOf(end)}`)
}

function useWholePeriod(filter: string, days: readonly Day[]) {
  const first = days[0] ?? ''
  const text = dueWithin(filter, first, addDays(days.at(-1) ?? '', 1))
  return useAll<Task>(
    'task',
    { filter: text, sort: 'due_at' },
    (atrium) => atrium.tasks.list({ filter: text, sort: 'due_at', limit: 100 }),
    { max: period_tasks_max },
  )
}

function useFullPeriod(filter: string, days: readonly Day[], most: number, enabled: boolean) {
  const mode = useMode()
  const atrium = useAtrium()
  const bounds = [...days, addDays(days.at(-1) ?? '', 1)].map(startOf).join()
  const query = { mode, by: 'due_at', bounds, ...(filter === '' ? {} : { filter }) }
  const counts = useApp('GET tasks/groups', { query }, { enabled, every_ms: counts_ms })
  const results = useQueries({
    queries: days.map((day) => {
      const params = { filter: dueWithin(filter, day, addDays(day, 1)), sort: 'due_at', limit: most }
      return {
        queryKey: keys.list(mode, 'task', { ...params, all: most }),
        queryFn: async () => (await atrium.tasks.list(params)).data as Task[],
        enabled,
      }
    }),
  })
  // A group's value is the number of bounds before its tasks.
  const count = (day: Day) => counts.data?.groups.find(({ value }) => value === days.indexOf(day) + 1)?.count ?? 0
  return {
    count: (day: Day) => (enabled ? count(day) : 0),
    isRead: (day: Day) => results[days.indexOf(day)]?.data !== undefined,
    tasks: enabled ? results.flatMap(({ data }) => data ?? []) : undefined,
    error: counts.error ?? results.find(({ error }) => error !== null)?.error ?? null,
  }
}

/** Open tasks without a due date, to be planned. */
export function useUnplanned(filter: string, enabled: boolean) {
  const text = within(filter, 'due_at = null AND NOT status IN (done, canceled)')
  const hidden = useHiddenTasks()
  const read = useAll<Task>(
    'task',
    { filter: text, unplanned: true },
    (atrium) => atrium.tasks.list({ filter: text, limit: 100 }),
    { max: unplanned_max, enabled },
  )
  return {
    tasks: read.data?.filter((task) => task.due_at === null && !hidden.has(task.id)),
    isCut: (read.data?.length ?? 0) >= unplanned_max,
  }
}

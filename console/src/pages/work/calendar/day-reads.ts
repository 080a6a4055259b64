/**
 * The tasks of the days of a calendar. The first of its tasks are read at once. If there are more, the server counts them by
 * day: a period with few tasks is read as a whole then, a fuller one by the day, as many tasks of each as are shown.
 */
import type { Task } from '@atrium/sdk'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type FilterFault, filterFault } from '../../../app/filter/fault.ts'
import { keys, useAll, useApp, useAtrium, useMode } from '../../../data/index.ts'
import { useHiddenTasks } from '../deletions.ts'
import { addDays, type Day, dayOf, startOf } from './days.ts'

/** A period with more tasks is read by the day. */
const period_tasks_max = 400
/** The tasks of a period that are read first, and often all of them. */
const first_tasks = 100
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

/**
 * `most`: the tasks of a day that are read of a full period. The first tasks of a period are shown at once, whatever else there
 * is to read of it.
 */
export function usePeriodTasks(filter: string, days: readonly Day[], most: number): PeriodTasks {
  const first = usePeriod(filter, days, first_tasks)
  const isCut = (first.data?.length ?? 0) >= first_tasks
  const counts = useDayCounts(filter, days, isCut)
  const isFull = (counts.total ?? 0) > period_tasks_max
  const whole = usePeriod(filter, days, period_tasks_max, counts.total !== undefined && !isFull)
  const full = useDays(filter, days, most, isFull)
  const hidden = useHiddenTasks()
  const known = whole.data ?? (isCut ? undefined : first.data)
  const read = useMemo(
    () => days.map((day, at) => known ?? full.days?.[at] ?? beginning(first.data, day, most)),
    [days, known, full.days, first.data, most],
  )
  const shown = useMemo(() => {
    // A task that has just been moved is in the list of the day from which it came.
    const all = new Map(read.flatMap((tasks) => tasks ?? []).map((task) => [task.id, task]))
    const tasks = [...all.values()].filter(({ id }) => !hidden.has(id)).toSorted(byTime)
    const byDay = Map.groupBy(tasks, ({ due_at }) => (due_at === null ? '' : dayOf(due_at)))
    return new Map(days.map((day, at) => [day, read[at] && (byDay.get(day) ?? [])]))
  }, [days, read, hidden])
  const error = first.error ?? counts.error ?? whole.error ?? full.error
  const fault = faultOf(error, filter)
  return {
    of: (day) => {
      const tasks = shown.get(day)
      return { tasks, count: Math.max(tasks?.length ?? 0, counts.of(day)) }
    },
    tasks: useMemo(() => days.flatMap((day) => shown.get(day) ?? []), [days, shown]),
    isPending: first.data === undefined && error === null,
    fault,
    error: fault === null ? error : null,
    retry: () => void first.refetch(),
  }
}

/** The tasks of a day among the first of its period; undefined if there may be more of them that the day has room for. */
function beginning(first: readonly Task[] | undefined, day: Day, most: number): readonly Task[] | undefined {
  const last = first?.at(-1)?.due_at ?? null
  if (first === undefined || last === null || day > dayOf(last)) return undefined
  const tasks = first.filter(({ due_at }) => due_at !== null && dayOf(due_at) === day)
  return day < dayOf(last) || tasks.length >= most ? tasks : undefined
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

function usePeriod(filter: string, days: readonly Day[], max: number, enabled = true) {
  const first = days[0] ?? ''
  const text = dueWithin(filter, first, addDays(days.at(-1) ?? '', 1))
  const params = { filter: text, sort: 'due_at' }
  return useAll<Task>('task', params, (atrium) => atrium.tasks.list({ ...params, limit: 100 }), { max, enabled })
}

/** How many tasks each day has. */
function useDayCounts(filter: string, days: readonly Day[], enabled: boolean) {
  const mode = useMode()
  const end = addDays(days.at(-1) ?? '', 1)
  const query = {
    mode,
    by: 'due_at',
    bounds: [...days, end].map(startOf).join(),
    filter: dueWithin(filter, days[0] ?? '', end),
  }
  const { data, error } = useApp('GET tasks/groups', { query }, { enabled, every_ms: counts_ms })
  const groups = enabled ? data?.groups : undefined
  return {
    // A group's value is the number of bounds before its tasks.
    of: (day: Day) => groups?.find(({ value }) => value === days.indexOf(day) + 1)?.count ?? 0,
    total: groups?.reduce((sum, { count }) => sum + count, 0),
    error,
  }
}

/** As many tasks of each day as are shown; undefined for days that are not read yet. */
function useDays(filter: string, days: readonly Day[], most: number, enabled: boolean) {
  const mode = useMode()
  const atrium = useAtrium()
  return useQueries({
    queries: days.map((day) => {
      const params = { filter: dueWithin(filter, day, addDays(day, 1)), sort: 'due_at', limit: most }
      return {
        queryKey: keys.list(mode, 'task', { ...params, all: most }),
        queryFn: async () => (await atrium.tasks.list(params)).data as Task[],
        enabled,
      }
    }),
    combine: (results) => ({
      days: enabled ? results.map(({ data }) => data) : undefined,
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  })
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

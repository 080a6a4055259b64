/**
 * The tasks of a board, column by column. Each column reads its first page and more as it is scrolled. Live events and own
 * writes change, insert and remove cards in place; pages are read again only after events were missed.
 *
 * A column that is read up to a place shows its tasks before that place (the head), then a gap, then the known tasks behind
 * it (the tail): new ones, for example, which stand at the end.
 * Invariant: a task is shown in the column that its newest known revision names, once, ordered by position and id.
 */
import type { Atrium, AtriumEvent, Project, Task } from '@atrium/sdk'
import { type QueryClient, type UseQueryResult, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { byPosition } from '../../app/tasks/reads.ts'
import { keys, useApp, useAtrium, useEvents, useMode, useUrlParam } from '../../data/index.ts'
import { useMatching } from './board-matching.ts'
import { useHiddenTasks } from './deletions.ts'

const page_tasks = 50
/** Tasks known from events alone; more of them mean that the columns are read again. */
const extra_tasks_max = 500
/** A column of finished tasks that is longer hides the old ones. */
const done_tasks_max = 100
const done_days = 14
const day_ms = 86_400_000
/** Changes within this time cause one count. */
const count_batch_ms = 1000
/** A count of what matches a filter reads the tasks of the project. */
const match_count_batch_ms = 3000

const no_tasks: readonly Task[] = []

/** The lane of tasks without a column. */
export const no_column = 'none'

/** A column of the board, or the lane of tasks without a column. */
export interface Lane {
  readonly id: string
  readonly name: string
  readonly column: string | null
  /** The status that tasks take in it. */
  readonly status: string | null
  readonly color: string | null
}

/** What a lane shows. */
export interface LaneTasks {
  readonly lane: Lane
  /** Undefined until the first page is read. */
  readonly tasks: readonly Task[] | undefined
  /** Where more tasks are to be read; null without such a place. */
  readonly gap: number | null
  /** The number of tasks, also of those that are not read. */
  readonly count: number
  readonly error: Error | null
  readonly isReading: boolean
  /** Whether long finished tasks are hidden; null for a lane that hides none by itself. */
  readonly hidesDone: boolean | null
}

interface Place {
  readonly position: number
  readonly id: string
}

interface LanePage {
  readonly data: readonly Task[]
  /** The place of its last task when it was read; null if no more follow. */
  readonly end: Place | null
  readonly cursor: string | null
}

interface LaneData {
  readonly pages: readonly LanePage[]
}

export interface BoardTasks {
  readonly lanes: readonly LaneTasks[]
  readonly find: (id: string) => Task | undefined
  readonly loadMore: (lane: string) => void
  /** Adds a task that a write has answered with. */
  readonly add: (task: Task) => void
  readonly retry: () => void
  /** Whether the counts are known, or cannot be. */
  readonly isCounted: boolean
  /** Reads the counts again. */
  readonly recount: () => void
  readonly setHidesDone: (hides: boolean) => void
}

/** The tasks of a project's lanes that match a filter. Lanes that are not `near` the view are read when they are. */
export function useBoardTasks(
  project: Project,
  lanes: readonly Lane[],
  near: ReadonlySet<string>,
  filter: string,
): BoardTasks {
  const mode = useMode()
  const client = useQueryClient()
  const atrium = useAtrium()
  const [done, setDone] = useUrlParam('done')
  const { counts, isCounted, recount } = useCounts(project.id, filter)
  const [cutoff] = useState(() => (Math.floor(Date.now() / day_ms) - done_days) * (day_ms / 1000))
  const extraKey = useMemo(() => [mode, 'task', 'board-extra', project.id, filter], [mode, project.id, filter])
  const countOf = (lane: Lane) => (lane.column === null ? counts?.none : counts?.columns[lane.column]) ?? 0
  const hidesOf = (lane: Lane) => (lane.status === 'done' && countOf(lane) > done_tasks_max ? done !== 'all' : null)
  const specs = lanes.map((lane) => {
    const cut = hidesOf(lane) === true ? cutoff : null
    return { lane, cut, key: [mode, 'task', 'lane', project.id, filter, lane.id, cut] }
  })
  const results = useQueries({
    queries: specs.map((spec) => ({
      queryKey: spec.key,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readLane({ atrium, client, project, filter, signal, extraKey, ...spec }),
      enabled: near.has(spec.lane.id) && (spec.lane.status !== 'done' || isCounted),
      staleTime: Number.POSITIVE_INFINITY,
      // Tasks that were created while the board was not shown are in no page.
      refetchOnMount: 'always' as const,
    })),
  })
  const extra = useExtraTasks(project, filter, extraKey)
  const hidden = useHiddenTasks()
  const all = useNewest([...results.flatMap(({ data }) => data?.pages.map((page) => page.data) ?? []), extra.tasks])
  const former = useRef(new Map<string, LaneTasks>())
  const shown = specs.map(({ lane, cut }, i) => {
    const { data, error = null, isFetching = false } = results[i] ?? {}
    const list = (all.get(lane.column) ?? []).filter(
      (task) => !hidden.has(task.id) && !extra.isOut(task) && !isOld(task, cut),
    )
    const state = { lane, error, isReading: isFetching, hidesDone: hidesOf(lane) }
    const next = data === undefined ? unread(state, countOf(lane)) : part(state, data, list, cut, countOf(lane))
    const same = unchanged(former.current.get(lane.id), next)
    former.current.set(lane.id, same)
    return same
  })
  const reading = useRef(new Set<string>())
  const loadMore = (id: string) => {
    const spec = specs.find(({ lane }) => lane.id === id)
    if (spec === undefined || reading.current.has(id)) return
    reading.current.add(id)
    void appendPage({ atrium, client, project, filter, ...spec }).finally(() => reading.current.delete(id))
  }
  return {
    lanes: shown,
    find: (id) => findIn(all, id),
    loadMore,
    add: extra.add,
    isCounted,
    recount,
    setHidesDone: (hides) => setDone(hides ? null : 'all'),
    retry: () => retryFailed(results),
  }
}

function retryFailed(results: readonly Pick<UseQueryResult, 'isError' | 'refetch'>[]): void {
  for (const { isError, refetch } of results) if (isError) void refetch()
}

type LaneState = Omit<LaneTasks, 'tasks' | 'gap' | 'count'>

function unread(state: LaneState, count: number): LaneTasks {
  return { ...state, tasks: undefined, gap: null, count }
}

/** A lane as far as it is read. The count of a whole one is known here, at once. */
function part(state: LaneState, { pages }: LaneData, tasks: readonly Task[], cut: number | null, counted: number) {
  const end = pages.at(-1)?.end ?? null
  if (end === null)
    return { ...state, tasks, gap: null, count: cut === null ? tasks.length : Math.max(counted, tasks.length) }
  const behind = tasks.findIndex((task) => byPosition(task, end) > 0)
  return { ...state, tasks, gap: behind === -1 ? tasks.length : behind, count: Math.max(counted, tasks.length) }
}

function isOld({ status, completed_at }: Task, cut: number | null): boolean {
  return cut !== null && status === 'done' && completed_at !== null && completed_at < cut
}

/** The former value if nothing differs, so that its column is not rendered again. */
function unchanged(was: LaneTasks | undefined, next: LaneTasks): LaneTasks {
  if (was === undefined) return next
  const hasSameTasks =
    was.tasks?.length === next.tasks?.length && (was.tasks ?? []).every((task, i) => task === next.tasks?.[i])
  const merged = hasSameTasks ? { ...next, tasks: was.tasks } : next
  const isSame = (Object.keys(merged) as (keyof LaneTasks)[]).every((name) => merged[name] === was[name])
  return isSame ? was : merged
}

type TasksByColumn = ReadonlyMap<string | null, readonly Task[]>

/** Computed again only when a page has changed. */
function useNewest(pages: readonly (readonly Task[])[]): TasksByColumn {
  const kept = useRef<{ pages: typeof pages; all: TasksByColumn }>(undefined)
  const was = kept.current
  const isSame = was?.pages.length === pages.length && was.pages.every((page, i) => page === pages[i])
  if (was === undefined || !isSame) kept.current = { pages, all: newestOf(pages) }
  return (kept.current as { all: TasksByColumn }).all
}

/** The tasks by column, in order. Of a task that was read twice, the newest revision counts. */
function newestOf(pages: readonly (readonly Task[])[]): TasksByColumn {
  const newest = new Map<string, Task>()
  for (const data of pages) {
    for (const task of data) {
      const known = newest.get(task.id)
      if (known === undefined || known.revision < task.revision) newest.set(task.id, task)
    }
  }
  const lists = new Map<string | null, Task[]>()
  for (const task of newest.values()) {
    const list = lists.get(task.column)
    if (list === undefined) lists.set(task.column, [task])
    else list.push(task)
  }
  for (const list of lists.values()) list.sort(byPosition)
  return lists
}

function findIn(lists: TasksByColumn, id: string): Task | undefined {
  for (const list of lists.values()) {
    const found = list.find((task) => task.id === id)
    if (found !== undefined) return found
  }
  return undefined
}

interface LaneRead {
  readonly atrium: Atrium
  readonly client: QueryClient
  readonly project: Project
  readonly lane: Lane
  /** Empty for all tasks. */
  readonly filter: string
  readonly key: readonly unknown[]
  /** Finished tasks from before this time, in Unix seconds, are left out. */
  readonly cut: number | null
  readonly signal?: AbortSignal
}

async function readPage(read: LaneRead, cursor: string | null): Promise<LanePage> {
  const { atrium, project, lane, filter, cut, signal } = read
  const column = lane.column === null ? `project = ${project.id} AND column = none` : `column = ${lane.column}`
  const place = filter === '' ? column : `${column} AND (${filter})`
  const { data, has_more, next_cursor } = await atrium.tasks.list(
    {
      filter: cut === null ? place : `${place} AND NOT (status = done AND completed_at < ${cut})`,
      is_archived: project.status === 'archived',
      sort: 'position',
      limit: page_tasks,
      starting_after: cursor ?? undefined,
    },
    signal === undefined ? {} : { signal },
  )
  const last = data.at(-1)
  const end = has_more && last !== undefined ? { position: last.position, id: last.id } : null
  return { data, end, cursor: end === null ? null : (next_cursor ?? null) }
}

/** Reads as many pages of a lane as were read before. */
async function readLane(read: LaneRead & { readonly extraKey: readonly unknown[] }): Promise<LaneData> {
  const { client, key, extraKey, lane } = read
  const known = client.getQueryData<LaneData>(key)?.pages.length ?? 1
  const extra = client.getQueryData<readonly Task[]>(extraKey) ?? []
  const pages: LanePage[] = []
  for (let cursor: string | null = null; pages.length < known; ) {
    const page: LanePage = await readPage(read, cursor)
    pages.push(page)
    cursor = page.cursor
    if (cursor === null) break
  }
  // What the pages cover need not be kept from events. A task of an event that came during the read is newer.
  const end = pages.at(-1)?.end ?? null
  const isCovered = (task: Task) =>
    extra.includes(task) && task.column === lane.column && (end === null || byPosition(task, end) <= 0)
  client.setQueryData<readonly Task[]>(extraKey, (rows = []) => rows.filter((task) => !isCovered(task)))
  return { pages }
}

async function appendPage(read: LaneRead): Promise<void> {
  const { client, key } = read
  const cursor = client.getQueryData<LaneData>(key)?.pages.at(-1)?.cursor ?? null
  if (cursor === null) return
  try {
    const page = await readPage(read, cursor)
    client.setQueryData<LaneData>(key, (data) => {
      const isNext = data?.pages.at(-1)?.cursor === cursor
      return isNext ? { pages: [...data.pages, page] } : data
    })
  } catch {
    // The next scroll tries again; without a connection the page says so.
  }
}

/** Tasks of the project that events and answers tell of and no page contains; with a filter, once they are known to match. */
function useExtraTasks({ id: project, status }: Project, filter: string, key: readonly unknown[]) {
  const mode = useMode()
  const client = useQueryClient()
  const { data: tasks = no_tasks } = useQuery<readonly Task[]>({ queryKey: key, queryFn: () => [], enabled: false })
  useEffect(() => () => client.removeQueries({ queryKey: key }), [client, key])
  const keep = useCallback(
    (task: Task) => {
      const lanes = client.getQueriesData<LaneData>({ queryKey: [mode, 'task', 'lane', project, filter] })
      const isKnown = lanes.some(([, data]) => data?.pages.some((page) => page.data.some(({ id }) => id === task.id)))
      const rows = client.getQueryData<readonly Task[]>(key) ?? []
      if (isKnown || rows.some(({ id }) => id === task.id)) return
      if (rows.length < extra_tasks_max) return void client.setQueryData(key, [...rows, task])
      client.setQueryData(key, [task])
      void client.invalidateQueries({ queryKey: [mode, 'task', 'lane', project] })
    },
    [client, mode, project, filter, key],
  )
  const { add, isOut } = useMatching({ project, isArchived: status === 'archived', filter, onMatch: keep })
  const onEvent = useCallback(
    ({ type, data }: AtriumEvent) => {
      const task = data.object as Task
      if (type.startsWith('workflow.task.') && type !== 'workflow.task.deleted' && task.project === project) add(task)
    },
    [add, project],
  )
  useEvents(onEvent)
  return { tasks, add, isOut }
}

/** The counts of all lanes, read again a moment after tasks have changed. */
function useCounts(project: string, filter: string) {
  const mode = useMode()
  const client = useQueryClient()
  const { data, isError } = useApp('GET projects/{id}/task-counts', {
    params: { id: project },
    query: { mode, ...(filter === '' ? {} : { filter }) },
  })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const recount = useCallback(() => {
    const batch_ms = filter === '' ? count_batch_ms : match_count_batch_ms
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void client.invalidateQueries({ queryKey: keys.appAll('GET projects/{id}/task-counts') })
    }, batch_ms)
  }, [client, filter])
  useEffect(() => () => clearTimeout(timer.current), [])
  const onEvent = useCallback(
    ({ type, data: { previous_attributes } }: AtriumEvent) => {
      if (!type.startsWith('workflow.task.')) return
      const before: object | null | undefined = previous_attributes
      const isEntry = type.endsWith('.created') || type.endsWith('.deleted')
      // Any change may decide whether a task matches.
      if (filter !== '' || isEntry || (before && ('column' in before || 'project' in before))) recount()
    },
    [recount, filter],
  )
  useEvents(onEvent)
  return { counts: data, isCounted: data !== undefined || isError, recount }
}

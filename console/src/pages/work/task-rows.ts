/**
 * The rows of the task list. Only the pages near the view are kept; others are dropped and read again when needed. Live
 * events change rows in place. A short list is read again after events; a long one is marked as stale instead.
 */
import type { AtriumEvent, Task } from '@atrium/sdk'
import { type QueryClient, type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useApp, useAtrium, useEvents, useMode } from '../../data/index.ts'
import { useHiddenTasks } from './deletions.ts'
import { PageIndex, page_tasks } from './page-index.ts'

/** Lists up to this length are read again after events. */
const refreshed_rows_max = 5 * page_tasks
/** Events within this time cause one read. */
const event_batch_ms = 800
/** Pages are read one after the other up to this distance; a page farther away needs the cursors of all pages. */
const steps_max = 3
/** While the scrollbar is dragged, pages are read only where it rests. */
const rest_ms = 100
const kept_ms = 30_000

export interface TaskQuery {
  readonly filter: string
  readonly sort: string
  readonly enabled: boolean
}

export interface TaskRows {
  /** Undefined until the first page is read. */
  readonly count: number | undefined
  /** Whether `count` is exact. */
  readonly isCounted: boolean
  /** Undefined while the row is being read. */
  readonly at: (index: number) => Task | undefined
  readonly firstPage: readonly Task[] | undefined
  readonly error: Error | null
  /** Some rows could not be read. */
  readonly hasFailures: boolean
  /** Tasks may have entered or left the list since it was read. */
  readonly isStale: boolean
  /** Reports which rows are in view. */
  readonly onRange: (first: number, end: number) => void
  readonly refresh: () => void
}

interface ReadPage {
  readonly data: readonly Task[]
}

export function useTaskRows(query: TaskQuery): TaskRows {
  const { index, refresh } = usePageIndex(query)
  const { pages, onRange, isFar } = useVisiblePages(query, index)
  const results = usePages(query, index, pages)
  const first = results[pages.indexOf(0)]
  const isLong = first?.data !== undefined && !first.isPlaceholderData && !index.isComplete
  const ahead = useAhead(query, index, { isLong, isFar })
  const shown = useShownRows(index, pages, results)
  const freshness = useFreshness(shown.count ?? 0, refresh)
  return {
    ...shown,
    error: first?.error ?? null,
    hasFailures: ahead.isError || results.some(({ isError }) => isError),
    onRange,
    ...freshness,
  }
}

/** The page index of a query, kept in the cache with its pages. */
function usePageIndex({ filter, sort }: TaskQuery) {
  const mode = useMode()
  const client = useQueryClient()
  const [, redraw] = useState(0)
  const key = useMemo(() => [mode, 'task', 'page-index', { filter, sort }], [mode, filter, sort])
  const index = client.getQueryData<PageIndex>(key) ?? new PageIndex(latestReading(client, mode, { filter, sort }))
  useEffect(() => void client.setQueryData(key, index), [client, key, index])
  const refresh = useCallback(() => {
    const former = client.getQueryData<PageIndex>(key)
    const next = new PageIndex((former?.reading ?? 0) + 1)
    // The list keeps its length until the new one is known.
    next.setCount(former?.rows ?? 0)
    client.setQueryData(key, next)
    redraw(next.reading)
  }, [client, key])
  return { index, refresh }
}

/** The number of the latest reading of which rows are cached: rows that the browser kept come back without their index. */
function latestReading(
  client: QueryClient,
  mode: string,
  query: { readonly filter: string; readonly sort: string },
): number {
  const rows = client.getQueriesData({ queryKey: [mode, 'task', 'rows', query] })
  return Math.max(0, ...rows.map(([key]) => Number(key[4])))
}

/** The pages in view. A new query starts with the first. */
function useVisiblePages({ filter, sort }: TaskQuery, index: PageIndex) {
  const query = `${sort} ${filter}`
  const [range, setRange] = useState({ query, first: 0, last: 0 })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const { first, last } = range.query === query ? range : { first: 0, last: 0 }
  const onRange = useCallback(
    (from: number, end: number) => {
      const next = { query, first: index.pageOf(from), last: index.pageOf(Math.max(from, end - 1)) }
      clearTimeout(timer.current)
      if (next.first === first && next.last === last) return
      const isNear = next.first <= last + 1 && next.last >= first - 1
      if (isNear) setRange(next)
      else timer.current = setTimeout(() => setRange(next), rest_ms)
    },
    [query, index, first, last],
  )
  const nearest = index.nearest(first)
  const isFar = first - nearest > steps_max
  const pages = useMemo(() => {
    const from = isFar ? last + 1 : nearest
    const visible = Array.from({ length: Math.max(0, last + 1 - from) }, (_, i) => from + i)
    // The first page is always read: it shows whether the list is empty.
    return visible.includes(0) ? visible : [0, ...visible]
  }, [isFar, nearest, last])
  return { pages, onRange, isFar }
}

function usePages({ filter, sort, enabled }: TaskQuery, index: PageIndex, pages: readonly number[]) {
  const mode = useMode()
  const atrium = useAtrium()
  const client = useQueryClient()
  const former = useRef<ReadPage | undefined>(undefined)
  // Not a `list` key: those are read again after each event.
  const keyOf = (reading: number, page: number) => [mode, 'task', 'rows', { filter, sort }, reading, page]
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(index.reading, page),
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ReadPage> => {
        const params = { filter: filter || undefined, sort: sort || undefined, starting_after: index.cursor(page) }
        const { data, has_more, next_cursor } = await atrium.tasks.list({ ...params, limit: page_tasks }, { signal })
        index.addPage(page, { data, has_more, next_cursor })
        return { data }
      },
      // Old rows stay until the new ones are read.
      placeholderData: () =>
        client.getQueryData<ReadPage>(keyOf(index.reading - 1, page)) ?? (page === 0 ? former.current : undefined),
      structuralSharing: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: kept_ms,
      enabled: enabled && index.has(page),
    })),
  })
  const first = results[pages.indexOf(0)]?.data
  useEffect(() => {
    if (first !== undefined) former.current = first
  }, [first])
  return results
}

/** Counts a long list, and reads the cursors of all its pages once the view is far from the known ones. */
function useAhead(
  { filter, sort, enabled }: TaskQuery,
  index: PageIndex,
  { isLong, isFar }: { readonly isLong: boolean; readonly isFar: boolean },
) {
  const mode = useMode()
  const params = { mode, filter: filter || undefined }
  const count = useApp('GET tasks/count', { query: params }, { enabled: enabled && isLong })
  const cursors = useApp(
    'GET tasks/places',
    { query: { ...params, sort: sort || undefined } },
    { enabled: enabled && isFar },
  )
  const [, redraw] = useState(0)
  useEffect(() => {
    if (count.data) index.setCount(count.data.count)
    if (cursors.data) index.addCursors(cursors.data.places)
    redraw((times) => times + 1)
  }, [index, count.data, cursors.data])
  return { isError: isFar && cursors.isError }
}

/** The rows without hidden tasks. */
function useShownRows(
  index: PageIndex,
  pages: readonly number[],
  results: readonly UseQueryResult<ReadPage, Error>[],
): Pick<TaskRows, 'count' | 'isCounted' | 'at' | 'firstPage'> {
  const hidden = useHiddenTasks()
  const read = new Map<number, readonly Task[]>()
  for (const [i, page] of pages.entries()) {
    const data = results[i]?.data?.data
    if (data === undefined) continue
    const rows = hidden.size === 0 ? data : data.filter(({ id }) => !hidden.has(id))
    read.set(page, rows)
    index.setRows(page, rows.length)
  }
  return {
    count: read.has(0) ? index.rows : undefined,
    isCounted: index.isComplete,
    firstPage: read.get(0),
    at: (row) => {
      const page = index.pageOf(row)
      return read.get(page)?.[row - index.firstRow(page)]
    },
  }
}

function useFreshness(rows: number, readAgain: () => void) {
  const [isStale, setStale] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refresh = useCallback(() => {
    setStale(false)
    readAgain()
  }, [readAgain])
  const onEvent = useCallback(
    (event: AtriumEvent) => {
      if (!event.type.startsWith('workflow.task.')) return
      if (rows > refreshed_rows_max) return setStale(true)
      clearTimeout(timer.current)
      timer.current = setTimeout(refresh, event_batch_ms)
    },
    [rows, refresh],
  )
  useEvents(onEvent)
  useEffect(() => () => clearTimeout(timer.current), [])
  return { isStale, refresh }
}

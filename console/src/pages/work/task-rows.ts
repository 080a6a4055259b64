/**
 * The rows of the list of tasks, of which only the pages in sight are kept: what is far away is forgotten, and read again
 * when somebody comes back. Live events change rows in place; which tasks belong to the list is asked for again by itself
 * only while it is short, and otherwise when the person wants to.
 */
import { ApiError, type AtriumEvent, type Task } from '@atrium/sdk'
import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useApp, useAtrium, useEvents, useMode } from '../../data/index.ts'
import { useHidden } from './deletions.ts'
import { Places, page_tasks } from './task-places.ts'

/** Lists of up to so many rows are read again by themselves. */
const refreshed_rows_max = 5 * page_tasks
const gathered_ms = 800
/** How far ahead of what is known pages are read one after the other. */
const steps_max = 3
/** Somebody who drags the scrollbar along sees the pages where they rest. */
const rest_ms = 100
const kept_ms = 30_000

export interface TaskQuestion {
  readonly filter: string
  readonly sort: string
  readonly enabled: boolean
}

export interface TaskRows {
  /** Undefined before the first are there. */
  readonly count: number | undefined
  /** Whether `count` is certain, and not only what is known so far. */
  readonly isCounted: boolean
  /** Undefined while it is being read. */
  readonly at: (index: number) => Task | undefined
  readonly firstPage: readonly Task[] | undefined
  readonly error: Error | null
  /** Rows below could not be read. */
  readonly isBroken: boolean
  /** Others may have come or gone since it was read. */
  readonly isStale: boolean
  /** Says which rows are in sight. */
  readonly see: (first: number, end: number) => void
  readonly refresh: () => void
}

interface ReadPage {
  readonly data: readonly Task[]
}

export function useTaskRows(question: TaskQuestion): TaskRows {
  const { places, refresh } = usePlaces(question)
  const { pages, see, isFar } = useSight(question, places)
  const results = usePages(question, places, pages)
  const first = results[pages.indexOf(0)]
  const isLong = first?.data !== undefined && !first.isPlaceholderData && !places.isWhole
  const ahead = useAhead(question, places, { isLong, isFar })
  const shown = useShown(places, pages, results)
  const freshness = useFreshness(shown.count ?? 0, refresh)
  return {
    ...shown,
    error: first?.error ?? null,
    isBroken: ahead.isError || results.some(({ isError }) => isError),
    see,
    ...freshness,
  }
}

/** What is known of the list's places, kept while its pages are. */
function usePlaces({ filter, sort }: TaskQuestion) {
  const mode = useMode()
  const client = useQueryClient()
  const [, redraw] = useState(0)
  const key = useMemo(() => [mode, 'task', 'places', { filter, sort }], [mode, filter, sort])
  const places = client.getQueryData<Places>(key) ?? new Places()
  useEffect(() => void client.setQueryData(key, places), [client, key, places])
  const refresh = useCallback(() => {
    const former = client.getQueryData<Places>(key)
    const next = new Places((former?.reading ?? 0) + 1)
    // Until it is known how long the list is now, it stays as long as it was.
    next.count(former?.rows ?? 0)
    client.setQueryData(key, next)
    redraw(next.reading)
  }, [client, key])
  return { places, refresh }
}

/** Which pages are in sight: the first ones of a question that is new. */
function useSight({ filter, sort }: TaskQuestion, places: Places) {
  const name = `${sort} ${filter}`
  const [sight, setSight] = useState({ name, first: 0, last: 0 })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const { first, last } = sight.name === name ? sight : { first: 0, last: 0 }
  const see = useCallback(
    (from: number, end: number) => {
      const next = { name, first: places.pageOf(from), last: places.pageOf(Math.max(from, end - 1)) }
      clearTimeout(timer.current)
      if (next.first === first && next.last === last) return
      const isNear = next.first <= last + 1 && next.last >= first - 1
      if (isNear) setSight(next)
      else timer.current = setTimeout(() => setSight(next), rest_ms)
    },
    [name, places, first, last],
  )
  const nearest = places.nearest(first)
  const isFar = first - nearest > steps_max
  const pages = useMemo(() => {
    const from = isFar ? last + 1 : nearest
    const seen = Array.from({ length: Math.max(0, last + 1 - from) }, (_, at) => from + at)
    // The first is always there: it says whether there is anything at all.
    return seen.includes(0) ? seen : [0, ...seen]
  }, [isFar, nearest, last])
  return { pages, see, isFar }
}

function usePages({ filter, sort, enabled }: TaskQuestion, places: Places, pages: readonly number[]) {
  const mode = useMode()
  const atrium = useAtrium()
  const client = useQueryClient()
  const former = useRef<ReadPage | undefined>(undefined)
  // Not one of the lists that each event reads again.
  const keyOf = (reading: number, page: number) => [mode, 'task', 'rows', { filter, sort }, reading, page]
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(places.reading, page),
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<ReadPage> => {
        const given = { filter: filter || undefined, sort: sort || undefined, starting_after: places.cursor(page) }
        const { data, has_more, next_cursor } = await atrium.tasks.list({ ...given, limit: page_tasks }, { signal })
        places.learn(page, { data, has_more, next_cursor })
        return { data }
      },
      // Nothing goes away before what comes instead is there.
      placeholderData: () =>
        client.getQueryData<ReadPage>(keyOf(places.reading - 1, page)) ?? (page === 0 ? former.current : undefined),
      structuralSharing: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: kept_ms,
      enabled: enabled && places.has(page),
    })),
  })
  const first = results[pages.indexOf(0)]?.data
  useEffect(() => {
    if (first !== undefined) former.current = first
  }, [first])
  return results
}

/** How long a long list is; and where its pages begin, once somebody goes far into it. */
function useAhead(
  { filter, sort, enabled }: TaskQuestion,
  places: Places,
  { isLong, isFar }: { readonly isLong: boolean; readonly isFar: boolean },
) {
  const mode = useMode()
  const given = { mode, filter: filter || undefined }
  const count = useApp('GET tasks/count', { query: given }, { enabled: enabled && isLong })
  const far = useApp(
    'GET tasks/places',
    { query: { ...given, sort: sort || undefined } },
    { enabled: enabled && isFar },
  )
  const [, redraw] = useState(0)
  useEffect(() => {
    if (count.data) places.count(count.data.count)
    if (far.data) places.learnAll(far.data.places)
    redraw((times) => times + 1)
  }, [places, count.data, far.data])
  return { isError: isFar && far.isError }
}

/** The rows as they stand. */
function useShown(
  places: Places,
  pages: readonly number[],
  results: readonly UseQueryResult<ReadPage, Error>[],
): Pick<TaskRows, 'count' | 'isCounted' | 'at' | 'firstPage'> {
  const hidden = useHidden()
  const read = new Map<number, readonly Task[]>()
  for (const [at, page] of pages.entries()) {
    const data = results[at]?.data?.data
    if (data === undefined) continue
    const rows = hidden.size === 0 ? data : data.filter(({ id }) => !hidden.has(id))
    read.set(page, rows)
    places.resize(page, rows.length)
  }
  return {
    count: read.has(0) ? places.rows : undefined,
    isCounted: places.isWhole,
    firstPage: read.get(0),
    at: (index) => {
      const page = places.pageOf(index)
      return read.get(page)?.[index - places.start(page)]
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
      timer.current = setTimeout(refresh, gathered_ms)
    },
    [rows, refresh],
  )
  useEvents(onEvent)
  useEffect(() => () => clearTimeout(timer.current), [])
  return { isStale, refresh }
}

export interface FilterFault {
  readonly message: string
  /** The character at fault, from 0. */
  readonly at: number | null
}

/** What is wrong with the filter, if that is what the list was refused for. */
export function filterFault(error: unknown): FilterFault | null {
  if (!(error instanceof ApiError) || error.param !== 'filter') return null
  const found = /\(at character (\d+)\)/.exec(error.message)
  return { message: error.message, at: found ? Number(found[1]) - 1 : null }
}

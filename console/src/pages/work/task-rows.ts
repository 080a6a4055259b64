/**
 * The rows of the list of tasks. It may grow to hundreds of pages, so live events change its rows in place; which tasks
 * belong to it is asked for again only while it is short, and otherwise when the person wants to.
 */
import { ApiError, type AtriumEvent, type Task } from '@atrium/sdk'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useAtrium, useEvents, useMode } from '../../data/index.ts'
import { useHidden } from './deletions.ts'

const page_tasks = 100
/** Lists of up to so many pages are read again by themselves. */
const refreshed_pages_max = 5
const gathered_ms = 800

export interface TaskQuestion {
  readonly filter: string
  readonly sort: string
  readonly workspace?: string | undefined
  readonly enabled: boolean
}

export interface TaskRows {
  readonly rows: readonly Task[] | undefined
  readonly error: Error | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly isPrevious: boolean
  /** Others may have come or gone since it was read. */
  readonly isStale: boolean
  readonly more: () => void
  readonly refresh: () => void
}

export function useTaskRows({ filter, sort, workspace, enabled }: TaskQuestion): TaskRows {
  const mode = useMode()
  const atrium = useAtrium()
  const hidden = useHidden()
  const query = useInfiniteQuery({
    // Not one of the lists that each event reads again.
    queryKey: [mode, 'task', 'rows', { filter, sort, workspace }],
    queryFn: async ({ pageParam, signal }) => {
      const given = { filter: filter || undefined, sort: sort || undefined, workspace }
      const page = await atrium.tasks.list({ ...given, limit: page_tasks, starting_after: pageParam }, { signal })
      return { data: page.data, has_more: page.has_more, next_cursor: page.next_cursor }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? (page.next_cursor ?? undefined) : undefined),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    enabled,
  })
  const { data, refetch, fetchNextPage } = query
  const rows = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.data)
    return hidden.size === 0 ? all : all?.filter(({ id }) => !hidden.has(id))
  }, [data, hidden])
  const freshness = useFreshness(data?.pages.length ?? 0, refetch)
  return {
    rows,
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isPrevious: query.isPlaceholderData,
    more: useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]),
    ...freshness,
  }
}

function useFreshness(pages: number, refetch: () => Promise<unknown>) {
  const [isStale, setStale] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const refresh = useCallback(() => {
    setStale(false)
    void refetch()
  }, [refetch])
  const onEvent = useCallback(
    (event: AtriumEvent) => {
      if (!event.type.startsWith('workflow.task.')) return
      if (pages > refreshed_pages_max) return setStale(true)
      clearTimeout(timer.current)
      timer.current = setTimeout(refresh, gathered_ms)
    },
    [pages, refresh],
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

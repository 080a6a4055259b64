/**
 * Reads: `useObject` for one object, `useList` for a list page by page, `useAll` for a short list, `useApp` for an endpoint
 * of `/app/api`. Results are cached and refreshed by live events.
 */
import type { Atrium, Page } from '@atrium/sdk'
import {
  keepPreviousData,
  type UseQueryResult,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type AppInput, app } from './app-api.ts'
import { type ApiObject, findCached } from './cache.ts'
import { keys } from './keys.ts'
import { useMode } from './mode.ts'
import type { AnswerOf, EndpointName, Mode } from './shapes.ts'
import { clientOf } from './tokens.ts'

interface ReadOptions {
  /** False: does not read. */
  readonly enabled?: boolean
  /** The polling interval in milliseconds, for data without live events. */
  readonly every_ms?: number
  /** Parameters of the read besides the id. */
  readonly params?: object
  /** True: the answer needs a confirmed session, and no browser keeps it. */
  readonly isManaged?: boolean
}

type ReadObject<T> = (atrium: Atrium, id: string, signal: AbortSignal) => PromiseLike<T>

/** How one object is read, for everything that shows it. */
function queryOfOne<T extends object>(mode: Mode, noun: string, id: string, read: ReadObject<T>) {
  return {
    queryKey: keys.one(mode, noun, id),
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) => await read(clientOf(mode), id, signal),
  }
}

/** Whether each of these objects has been read, or cannot be: their names then come at once. */
export function useAreRead<T extends object>(noun: string, ids: readonly string[], read: ReadObject<T>): boolean {
  const mode = useMode()
  const client = useQueryClient()
  return useQueries({
    queries: ids.map((id) => ({
      ...queryOfOne(mode, noun, id, read),
      enabled: findCached<ApiObject>(client, mode, noun, id) === undefined,
    })),
    combine: (all) => all.every(({ isPending, fetchStatus }) => !isPending || fetchStatus === 'idle'),
  })
}

/** One object. Until it is read, the fields that a cached list has are shown. */
export function useObject<T extends object>(
  noun: string,
  id: string | null,
  read: ReadObject<T>,
  { enabled = true, every_ms, params }: ReadOptions = {},
): UseQueryResult<T, Error> {
  const mode = useMode()
  const client = useQueryClient()
  const { queryKey, queryFn } = queryOfOne(mode, noun, id ?? '', read)
  return useQuery<T>({
    queryKey: params === undefined ? queryKey : [...queryKey, params],
    queryFn,
    enabled: enabled && id !== null,
    ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
    // TanStack's type of placeholders excludes functions of T, which it cannot know to be an object.
    placeholderData: (() => (id === null ? undefined : findCached<ApiObject>(client, mode, noun, id))) as never,
  })
}

export interface ListResult<T> {
  /** The rows of all pages read; undefined before the first page. */
  readonly rows: readonly T[] | undefined
  readonly error: Error | null
  readonly isPending: boolean
  /** The rows belong to the previous parameters. */
  readonly isPrevious: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly loadMore: () => void
  readonly refetch: () => void
}

/**
 * A list, page by page. `read` gets the next page's cursor: `starting_after` of lists paged by id, `cursor` of others.
 * While new parameters load, the previous rows stay, which avoids layout shifts.
 */
export function useList<T>(
  noun: string,
  params: object,
  read: (atrium: Atrium, cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>,
  { enabled = true, every_ms, isManaged = false }: ReadOptions = {},
): ListResult<T> {
  const mode = useMode()
  const query = useInfiniteQuery({
    meta: { isManaged },
    queryKey: keys.list(mode, noun, params),
    queryFn: async ({ pageParam, signal }) => plainPage(await read(clientOf(mode), pageParam, signal)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? (page.next_cursor ?? undefined) : undefined),
    enabled,
    ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
    placeholderData: keepPreviousData,
    select: ({ pages }) => pages.flatMap((page) => page.data),
  })
  return {
    rows: query.data,
    error: query.error,
    isPending: query.isPending,
    isPrevious: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  }
}

/** The page as plain data, which TanStack can compare and copy. */
function plainPage<T>({ data, has_more, next_cursor }: Page<T>) {
  return { data, has_more, next_cursor }
}

/** All rows of a short list (columns, workspaces), up to `max`. */
export function useAll<T>(
  noun: string,
  params: object,
  read: (atrium: Atrium) => { toArray(options: { max: number }): Promise<T[]> },
  { max = 500, enabled = true, every_ms }: ReadOptions & { readonly max?: number } = {},
): UseQueryResult<T[], Error> {
  const mode = useMode()
  return useQuery<T[], Error>({
    queryKey: keys.list(mode, noun, { ...params, all: max }),
    queryFn: () => read(clientOf(mode)).toArray({ max }),
    enabled,
    ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
  })
}

/** An endpoint of `/app/api`. */
export function useApp<K extends EndpointName & `GET ${string}`>(
  name: K,
  input: AppInput<K>,
  { enabled = true, every_ms }: ReadOptions = {},
): UseQueryResult<AnswerOf<K>, Error> {
  return useQuery<AnswerOf<K>, Error>({
    queryKey: keys.app(name, input),
    queryFn: ({ signal }) => app(name, input, { signal, stepUp: false }),
    enabled,
    ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
  })
}

/** A list that requires `api:manage`. Without a recent step-up its error is `step_up_required`. */
export function useManagedList<T>(
  noun: string,
  params: object,
  read: (atrium: Atrium, cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>,
  options: ReadOptions = {},
): ListResult<T> {
  const mode = useMode()
  const managed = { ...options, isManaged: true }
  return useList(noun, params, (_, cursor, signal) => read(clientOf(mode, true), cursor, signal), managed)
}

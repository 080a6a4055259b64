/**
 * Reading: `useObject` one object, `useList` a list page by page, `useAll` a whole short list, `useApp` an endpoint of the
 * session API. All of them are kept, refreshed by live events, and give `data`, `error` and `isPending`.
 */
import type { Atrium, Page } from '@atrium/sdk'
import {
  keepPreviousData,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type AppInput, app } from './app-api.ts'
import { type ApiObject, shown } from './cache.ts'
import { keys } from './keys.ts'
import { useMode } from './mode.ts'
import type { AnswerOf, EndpointName } from './shapes.ts'
import { clientOf } from './tokens.ts'

interface ReadOptions {
  /** `false`: not yet, or not at all. */
  readonly enabled?: boolean
  /** Milliseconds after which it is asked for again, for what no event tells. */
  readonly every_ms?: number
  /** Where it belongs to parameters besides the id. */
  readonly params?: object
}

/** One object. What a list showed of it already stands there at once. */
export function useObject<T extends object>(
  noun: string,
  id: string | null,
  read: (atrium: Atrium, id: string, signal: AbortSignal) => PromiseLike<T>,
  { enabled = true, every_ms, params }: ReadOptions = {},
): UseQueryResult<T, Error> {
  const mode = useMode()
  const client = useQueryClient()
  const key = keys.one(mode, noun, id ?? '')
  return useQuery<T>({
    queryKey: params === undefined ? key : [...key, params],
    queryFn: async ({ signal }) => await read(clientOf(mode), id ?? '', signal),
    enabled: enabled && id !== null,
    ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
    placeholderData: (() => (id === null ? undefined : shown<ApiObject>(client, mode, noun, id))) as never,
  })
}

export interface ListResult<T> {
  /** Of all pages read so far; undefined before the first. */
  readonly rows: readonly T[] | undefined
  readonly error: Error | null
  readonly isPending: boolean
  /** The rows are still those of other parameters. */
  readonly isPrevious: boolean
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly more: () => void
  readonly refetch: () => void
}

/**
 * A list, page by page. `read` gets the cursor of the next page: `starting_after` of id-paged lists, `cursor` of others.
 * While other parameters are read the former rows stay, so that nothing jumps.
 */
export function useList<T>(
  noun: string,
  params: object,
  read: (atrium: Atrium, cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>,
  { enabled = true, every_ms }: ReadOptions = {},
): ListResult<T> {
  const mode = useMode()
  const query = useInfiniteQuery({
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
    more: () => void query.fetchNextPage(),
    refetch: () => void query.refetch(),
  }
}

/** Only data: what is kept is compared and copied. */
function plainPage<T>({ data, has_more, next_cursor }: Page<T>) {
  return { data, has_more, next_cursor }
}

/** All of a list that is short by its nature (columns, workspaces), up to `max`. */
export function useAll<T>(
  noun: string,
  params: object,
  read: (atrium: Atrium) => { toArray(options: { max: number }): Promise<T[]> },
  { max = 500, enabled = true }: ReadOptions & { readonly max?: number } = {},
): UseQueryResult<T[], Error> {
  const mode = useMode()
  return useQuery<T[], Error>({
    queryKey: keys.list(mode, noun, { ...params, all: max }),
    queryFn: () => read(clientOf(mode)).toArray({ max }),
    enabled,
  })
}

/** An endpoint of the session API. `mode` is put into the query where the endpoint takes one and none is given. */
export function useApp<K extends EndpointName & `GET ${string}`>(
  name: K,
  input: AppInput<K>,
  { enabled = true, every_ms }: ReadOptions = {},
): UseQueryResult<AnswerOf<K>, Error> {
  return useQuery<AnswerOf<K>, Error>({
    queryKey: keys.app(name, input),
    queryFn: ({ signal }) => app(name, input, { signal, ask: false }),
    enabled,
    ...(every_ms === undefined ? {} : { refetchInterval: every_ms }),
  })
}

/** A list that needs `api:manage`. Without a fresh confirmation its error is `step_up_required`. */
export function useManagedList<T>(
  noun: string,
  params: object,
  read: (atrium: Atrium, cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>,
  options: ReadOptions = {},
): ListResult<T> {
  const mode = useMode()
  return useList(noun, params, (_, cursor, signal) => read(clientOf(mode, true), cursor, signal), options)
}

/** An object that needs `api:manage`, likewise. */
export function useManagedObject<T extends object>(
  noun: string,
  id: string | null,
  read: (atrium: Atrium, id: string, signal: AbortSignal) => PromiseLike<T>,
  options: ReadOptions = {},
): UseQueryResult<T, Error> {
  const mode = useMode()
  return useObject<T>(noun, id, (_, given, signal) => read(clientOf(mode, true), given, signal), options)
}

/** The request log, newest first, filtered; one request beside it with what it caused. */
import './developers.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { app, useMode, useUrlParam } from '../../data/index.ts'
import type { LoggedRequest } from '../../data/shapes.ts'
import {
  Button,
  duration,
  Empty,
  More,
  Page,
  RelativeTime,
  SearchInput,
  Select,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { RequestSheet } from './request-sheet.tsx'
import { CallerName, StatusBadge } from './request-words.tsx'

const statuses = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: 'Answered (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
]

export function RequestsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const list = useRequests()
  const rows = list.data
  return (
    <Page
      title="Requests"
      description="Every request of the last seven days: names and figures, never bodies or values."
    >
      <div className="stack">
        <Filters />
        {list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <>
            <Table
              label="Requests"
              columns={columns}
              rows={rows}
              rowKey={(row) => row.id}
              to={(row) => `/developers/requests/${row.id}${search === '' ? '' : `?${search}`}`}
              current={id}
              empty={
                <Empty title="No such requests">
                  In the part of the log that was looked at there is none that fits.
                </Empty>
              }
            />
            {rows !== undefined && (
              <More
                hasMore={list.hasNextPage}
                busy={list.isFetchingNextPage}
                onMore={() => void list.fetchNextPage()}
                shown={rows?.length ?? 0}
              />
            )}
          </>
        )}
      </div>
      {id !== undefined && (
        <RequestSheet id={id} onClose={() => navigate(`/developers/requests${search === '' ? '' : `?${search}`}`)} />
      )}
    </Page>
  )
}

/** No event tells of requests: the first page is read again while it is looked at. */
function useRequests() {
  const mode = useMode()
  const params = new URLSearchParams(useSearch())
  const wanted = Object.fromEntries(
    ['status', 'operation', 'code', 'credential'].flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
  return useInfiniteQuery({
    queryKey: ['app', 'GET request-logs', mode, wanted],
    queryFn: ({ pageParam, signal }) =>
      app(
        'GET request-logs',
        { query: { mode, ...wanted, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        { signal, ask: false },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 10_000),
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

function Filters() {
  const [status, setStatus] = useUrlParam('status', '')
  const [operation, setOperation] = useUrlParam('operation', '')
  const [code, setCode] = useUrlParam('code')
  const [credential, setCredential] = useUrlParam('credential')
  return (
    <div className="dev-filters" role="search" aria-label="Requests">
      <Select aria-label="Status" value={status} choices={statuses} onChange={setStatus} />
      <SearchInput label="Operation" placeholder="tasks.create" value={operation} onChange={setOperation} />
      {code !== null && <Chip name="code" value={code} onRemove={() => setCode(null)} />}
      {credential !== null && (
        <Chip name="key" value={<CallerName credential={credential} />} onRemove={() => setCredential(null)} />
      )}
    </div>
  )
}

function Chip(props: { readonly name: string; readonly value: React.ReactNode; readonly onRemove: () => void }) {
  return (
    <Button size="s" icon={X} onClick={props.onRemove} aria-label={`Without this ${props.name}`}>
      <span>
        {props.name}: <span className="dev-mono">{props.value}</span>
      </span>
    </Button>
  )
}

const columns: readonly TableColumn<LoggedRequest>[] = [
  { key: 'status', title: 'Status', width: '4.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'path',
    title: 'Request',
    cell: ({ method, path }) => (
      <span className="cut">
        <span className="dev-method">{method}</span>
        <span className="dev-mono">{path}</span>
      </span>
    ),
  },
  {
    key: 'code',
    title: 'Error',
    width: '13rem',
    from: 'widest',
    cell: ({ error_code }) => (error_code === null ? '' : <span className="dev-mono cut">{error_code}</span>),
  },
  {
    key: 'caller',
    title: 'By',
    width: '10rem',
    from: 'wide',
    cell: ({ credential }) => (
      <span className="cut">
        <CallerName credential={credential} />
      </span>
    ),
  },
  {
    key: 'duration',
    title: 'Took',
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ duration_ms }) => duration(duration_ms),
  },
  { key: 'at', title: 'When', width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]

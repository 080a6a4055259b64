/** The request log, newest first, with filters and one request open beside it. */
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
import { CallerName, HttpStatus } from './request-log.tsx'
import { RequestSheet } from './request-sheet.tsx'

const statuses = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: 'Success (2xx)' },
  { value: '4xx', label: 'Client error (4xx)' },
  { value: '5xx', label: 'Server error (5xx)' },
]

export function RequestsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const query = search === '' ? '' : `?${search}`
  return (
    <Page title="Requests" description="All API requests of the last seven days, without bodies and parameter values.">
      <div className="stack">
        <Filters />
        <RequestTable current={id} query={query} />
      </div>
      {id !== undefined && <RequestSheet id={id} onClose={() => navigate(`/developers/requests${query}`)} />}
    </Page>
  )
}

function RequestTable({ current, query }: { readonly current: string | undefined; readonly query: string }) {
  const list = useRequests()
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      <Table
        label="Requests"
        columns={columns}
        rows={list.data}
        rowKey={(row) => row.id}
        to={(row) => `/developers/requests/${row.id}${query}`}
        current={current}
        empty={<Empty title="No matching requests">No request in the searched part of the log matches.</Empty>}
      />
      {list.data !== undefined && (
        <More
          hasMore={list.hasNextPage}
          busy={list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
          shown={list.data.length}
        />
      )}
    </>
  )
}

const filter_params = ['status', 'operation', 'code', 'credential']
const poll_ms = 10_000

/** Polls the first page, because no event announces requests, until more pages are loaded. */
function useRequests() {
  const mode = useMode()
  const params = new URLSearchParams(useSearch())
  const filters = Object.fromEntries(
    filter_params.flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
  return useInfiniteQuery({
    queryKey: ['app', 'GET request-logs', mode, filters],
    queryFn: ({ pageParam, signal }) =>
      app(
        'GET request-logs',
        { query: { mode, ...filters, ...(pageParam === null ? {} : { cursor: pageParam }) } },
        { signal, stepUp: false },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : poll_ms),
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

function Filters() {
  const [status, setStatus] = useUrlParam('status', '')
  const [operation, setOperation] = useUrlParam('operation', '', { typed: true })
  const [code, setCode] = useUrlParam('code')
  const [credential, setCredential] = useUrlParam('credential')
  return (
    <div className="dev-filters" role="search" aria-label="Requests">
      <Select aria-label="Status" value={status} choices={statuses} onChange={setStatus} />
      <SearchInput label="Operation" placeholder="tasks.create" value={operation} onChange={setOperation} />
      {code !== null && <Chip name="Error" value={code} onRemove={() => setCode(null)} />}
      {credential !== null && (
        <Chip name="Caller" value={<CallerName credential={credential} />} onRemove={() => setCredential(null)} />
      )}
    </div>
  )
}

function Chip(props: { readonly name: string; readonly value: React.ReactNode; readonly onRemove: () => void }) {
  return (
    <Button size="s" icon={X} onClick={props.onRemove} aria-label={`Remove filter: ${props.name}`}>
      <span>
        {props.name}: <span className="dev-mono">{props.value}</span>
      </span>
    </Button>
  )
}

const columns: readonly TableColumn<LoggedRequest>[] = [
  { key: 'status', title: 'Status', width: '4.5rem', cell: ({ status }) => <HttpStatus status={status} /> },
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
    title: 'Caller',
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
    title: 'Duration',
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ duration_ms }) => duration(duration_ms),
  },
  { key: 'at', title: 'Time', width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]

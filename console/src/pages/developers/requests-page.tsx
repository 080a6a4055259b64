/** The request log, newest first, with filters and one request open beside it. */
import './developers.css'
import { useInfiniteQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useLocation, useParams, useSearch } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { app, useApp, useMode, useUrlParam } from '../../data/index.ts'
import type { LoggedRequest } from '../../data/shapes.ts'
import {
  Button,
  Checkbox,
  DayField,
  duration,
  Empty,
  More,
  momentOf,
  Page,
  plusWallDays,
  RelativeTime,
  SearchInput,
  Select,
  Table,
  type TableColumn,
  wallOfDay,
} from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { CallerName, HttpStatus } from './request-log.tsx'
import { RequestSheet } from './request-sheet.tsx'

const statuses = [
  { value: '', label: t('Any status') },
  { value: '2xx', label: t('Success (2xx)') },
  { value: '4xx', label: t('Client error (4xx)') },
  { value: '5xx', label: t('Server error (5xx)') },
]

export function RequestsPage() {
  const { id } = useParams()
  const [, navigate] = useLocation()
  const search = useSearch()
  const query = search === '' ? '' : `?${search}`
  return (
    <Page
      title={t('Requests')}
      description={t('All API requests of the last seven days, without bodies and parameter values.')}
    >
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
        label={t('Requests')}
        columns={columns}
        rows={list.data}
        rowKey={(row) => row.id}
        to={(row) => `/developers/requests/${row.id}${query}`}
        current={current}
        empty={
          <Empty title={t('No matching requests')}>{t('No request in the searched part of the log matches.')}</Empty>
        }
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

const filter_params = ['status', 'operation', 'code', 'credential', 'path', 'console']
const poll_ms = 10_000

/** Polls the first page, because no event announces requests, until more pages are loaded. */
function useRequests() {
  const mode = useMode()
  const params = new URLSearchParams(useSearch())
  const range = rangeOf(params.get('from'), params.get('until'))
  const named = Object.fromEntries(
    filter_params.flatMap((name) => {
      const value = params.get(name)
      return value === null || value === '' ? [] : [[name, value]]
    }),
  )
  const filters = { ...named, ...range }
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

/** Both days belong to the range. Days are those of the person's time zone. */
function rangeOf(from: string | null, until: string | null): { after?: number; before?: number } {
  const startOf = (day: string, more: number) => momentOf(plusWallDays(wallOfDay(day), more))
  const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text)
  return {
    ...(isDay(from) && { after: startOf(from, 0) }),
    ...(isDay(until) && { before: startOf(until, 1) }),
  }
}

/** The keys and applications whose requests can be chosen. */
function useCallers() {
  const mode = useMode()
  const { data } = useApp('GET directory', { query: { mode } })
  const callers = [...(data?.keys.filter(({ is_deleted }) => !is_deleted) ?? []), ...(data?.applications ?? [])]
  return callers.map(({ id, name }) => ({ value: id, label: name }))
}

function Filters() {
  const [status, setStatus] = useUrlParam('status', '')
  const [operation, setOperation] = useUrlParam('operation', '', { typed: true })
  const [path, setPath] = useUrlParam('path', '', { typed: true })
  const [code, setCode] = useUrlParam('code')
  return (
    <div className="dev-filters" role="search" aria-label={t('Requests')}>
      <Select aria-label={t('Status')} value={status} choices={statuses} onChange={setStatus} />
      <CallerFilter />
      <SearchInput label={t('Operation')} placeholder="tasks.create" value={operation} onChange={setOperation} />
      <SearchInput label={t('Path')} placeholder="/v1/tasks" value={path} onChange={setPath} />
      <TimeFilter />
      {code !== null && <Chip name={t('Error')} value={code} onRemove={() => setCode(null)} />}
    </div>
  )
}

/** Chooses a key or application, or leaves out the requests of console pages. */
function CallerFilter() {
  const [credential, setCredential] = useUrlParam('credential', '')
  const [hidden, setHidden] = useUrlParam('console', '')
  const callers = useCallers()
  const isOther = credential !== '' && !callers.some(({ value }) => value === credential)
  return (
    <>
      <Select
        aria-label={t('Caller')}
        value={isOther ? '' : credential}
        choices={[{ value: '', label: t('Any caller') }, ...callers]}
        onChange={setCredential}
      />
      {isOther && (
        <Chip name={t('Caller')} value={<CallerName credential={credential} />} onRemove={() => setCredential(null)} />
      )}
      <Checkbox
        label={t('Hide the console')}
        checked={hidden === 'hidden'}
        onChange={() => setHidden(hidden === 'hidden' ? null : 'hidden')}
      />
    </>
  )
}

function TimeFilter() {
  const [from, setFrom] = useUrlParam('from', '')
  const [until, setUntil] = useUrlParam('until', '')
  return (
    <span className="dev-days">
      <DayField aria-label={t('From')} value={from} onChange={setFrom} />
      <DayField aria-label={t('Until')} value={until} onChange={setUntil} />
    </span>
  )
}

function Chip(props: { readonly name: string; readonly value: React.ReactNode; readonly onRemove: () => void }) {
  return (
    <Button size="s" icon={X} onClick={props.onRemove} aria-label={t('Remove filter: {name}', { name: props.name })}>
      <span>
        {props.name}: <span className="dev-mono">{props.value}</span>
      </span>
    </Button>
  )
}

const columns: readonly TableColumn<LoggedRequest>[] = [
  { key: 'status', title: t('Status'), width: '4.5rem', cell: ({ status }) => <HttpStatus status={status} /> },
  {
    key: 'path',
    title: t('Request'),
    cell: ({ method, path }) => (
      <span className="cut">
        <span className="dev-method">{method}</span>
        <span className="dev-mono">{path}</span>
      </span>
    ),
  },
  {
    key: 'code',
    title: t('Error'),
    width: '13rem',
    from: 'widest',
    cell: ({ error_code }) => (error_code === null ? '' : <span className="dev-mono cut">{error_code}</span>),
  },
  {
    key: 'caller',
    title: t('Caller'),
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
    title: t('Duration'),
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ duration_ms }) => duration(duration_ms),
  },
  { key: 'at', title: t('Time'), width: '7.5rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]

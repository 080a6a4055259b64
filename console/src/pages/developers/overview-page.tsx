/** Use of the API: the numbers of requests and errors, by operation and error code. */
import './developers.css'
import { Activity } from 'lucide-react'
import { Link } from 'wouter'
import { Chart } from '../../app/chart.tsx'
import { ErrorState } from '../../app/error-state.tsx'
import { useUrlParam } from '../../data/index.ts'
import type { LogSummary, LogWindow } from '../../data/shapes.ts'
import {
  ButtonLink,
  Card,
  CodeBlock,
  dateTime,
  duration,
  Empty,
  Page,
  RelativeTime,
  Section,
  Segments,
  Skeleton,
  Stat,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { useLogSummary, windows } from './request-log.tsx'

export function OverviewPage() {
  const [chosen, setWindow] = useUrlParam('window', '24h')
  const window = (windows.find(({ value }) => value === chosen)?.value ?? '24h') as LogWindow
  const summary = useLogSummary(window)
  return (
    <Page
      title="API activity"
      description="Requests of this organization’s keys, tokens and console sessions."
      actions={<Segments label="Period" value={window} choices={windows} onChange={setWindow} />}
    >
      {summary.error ? (
        <ErrorState error={summary.error} onRetry={() => void summary.refetch()} />
      ) : summary.data?.requests === 0 ? (
        <NoRequests />
      ) : (
        <Figures summary={summary.data} />
      )}
    </Page>
  )
}

function NoRequests() {
  return (
    <>
      <Empty
        icon={Activity}
        title="No requests in this period"
        actions={<ButtonLink to="/developers/keys">API keys</ButtonLink>}
      >
        Requests appear here within seconds. Create a key and try:
      </Empty>
      <CodeBlock code={`curl ${location.origin}/v1/me -H "Authorization: Bearer $ATRIUM_KEY"`} />
    </>
  )
}

function Figures({ summary }: { readonly summary: LogSummary | undefined }) {
  return (
    <>
      <div className="dev-stats">
        <Stat label="Requests" value={countText(summary?.requests)} />
        <Stat label="Errors" value={countText(summary?.errors)} hint={errorShare(summary)} />
        <Stat label="Callers" value={countText(summary?.credentials.length)} />
      </div>
      <Card>{summary === undefined ? <Skeleton height="16rem" /> : <RequestChart summary={summary} />}</Card>
      {summary !== undefined && <Groups summary={summary} />}
    </>
  )
}

/** Without skeletons, because the numbers of rows are not known before. */
function Groups({ summary }: { readonly summary: LogSummary }) {
  return (
    <>
      {!summary.complete && (
        <p className="subtle">
          There are too many requests to count all of them. The figures start <RelativeTime at={summary.from} />.
        </p>
      )}
      <Section title="Errors" description="By code and operation.">
        <Table
          label="Errors"
          columns={error_columns}
          rows={summary.errors_by_code}
          rowKey={({ code, operation }) => `${code} ${operation}`}
          to={({ code, operation }) => `/developers/requests?code=${code}&operation=${operation}`}
          empty={<Empty plain title="No errors in this period" />}
          expected={3}
        />
      </Section>
      <Section title="Operations" description="Busiest first.">
        <Table
          label="Operations"
          columns={operation_columns}
          rows={summary.operations}
          rowKey={({ operation }) => operation}
          to={({ operation }) => `/developers/requests?operation=${operation}`}
        />
      </Section>
    </>
  )
}

function countText(value: number | undefined) {
  return value === undefined ? <Skeleton width="4rem" /> : value.toLocaleString('en')
}

function errorShare(summary: LogSummary | undefined): string {
  if (summary === undefined) return ' '
  return `${((100 * summary.errors) / Math.max(1, summary.requests)).toFixed(1)}% of requests`
}

function RequestChart({ summary: { buckets, requests, errors } }: { readonly summary: LogSummary }) {
  const times = buckets.map(({ at }) => dateTime(at))
  return (
    <Chart
      title="Requests over time"
      summary={`${requests.toLocaleString('en')} requests, ${errors.toLocaleString('en')} errors`}
      labels={times}
      isStacked
      isNewestFirst
      series={[
        { name: 'Succeeded', tone: 'accent', values: buckets.map((bucket) => bucket.requests - bucket.errors) },
        { name: 'Errors', tone: 'bad', values: buckets.map((bucket) => bucket.errors) },
      ]}
    />
  )
}

const error_columns: readonly TableColumn<LogSummary['errors_by_code'][number]>[] = [
  { key: 'code', title: 'Code', cell: ({ code }) => <span className="dev-mono">{code}</span> },
  {
    key: 'operation',
    title: 'Operation',
    from: 'wide',
    cell: ({ operation }) => <span className="dev-mono">{operation}</span>,
  },
  { key: 'param', title: 'Parameter', from: 'widest', width: '10rem', cell: ({ param }) => param ?? '—' },
  { key: 'count', title: 'Count', width: '5rem', align: 'end', cell: ({ count }) => count.toLocaleString('en') },
  {
    key: 'last',
    title: 'Last seen',
    width: '8rem',
    from: 'wide',
    hiddenTitle: true,
    cell: ({ last_at, last_request }) => (
      <Link href={`/developers/requests/${last_request}`}>
        <RelativeTime at={last_at} />
      </Link>
    ),
  },
]

const operation_columns: readonly TableColumn<LogSummary['operations'][number]>[] = [
  { key: 'operation', title: 'Operation', cell: ({ operation }) => <span className="dev-mono">{operation}</span> },
  {
    key: 'requests',
    title: 'Requests',
    width: '6rem',
    align: 'end',
    cell: ({ requests }) => requests.toLocaleString('en'),
  },
  { key: 'errors', title: 'Errors', width: '5rem', align: 'end', cell: ({ errors }) => errors.toLocaleString('en') },
  { key: 'p50', title: 'p50', width: '6rem', align: 'end', from: 'wide', cell: ({ p50_ms }) => duration(p50_ms) },
  { key: 'p99', title: 'p99', width: '6rem', align: 'end', from: 'wide', cell: ({ p99_ms }) => duration(p99_ms) },
]

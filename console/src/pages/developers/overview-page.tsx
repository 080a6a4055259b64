/** How the API is used: how many requests, how many failed, which ones, and what to do about them. */
import './developers.css'
import { Activity } from 'lucide-react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { useUrlParam } from '../../data/index.ts'
import type { LogSummary, LogWindow } from '../../data/shapes.ts'
import {
  Card,
  CodeBlock,
  duration,
  Empty,
  Page,
  RelativeTime,
  Section,
  Segments,
  Skeleton,
  Sparkline,
  Stat,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { useLogSummary, windows } from './request-words.tsx'

export function OverviewPage() {
  const [chosen, setWindow] = useUrlParam('window', '24h')
  const window = (windows.find(({ value }) => value === chosen)?.value ?? '24h') as LogWindow
  const summary = useLogSummary(window)
  return (
    <Page
      title="API activity"
      description="What was asked of the API with this organization’s keys, tokens and consoles."
      actions={<Segments label="Time" value={window} choices={windows} onChange={setWindow} />}
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
      <Empty icon={Activity} title="No requests in this time">
        Requests show up here a few seconds after they were answered. Make a key, and try:
      </Empty>
      <CodeBlock code={`curl ${location.origin}/v1/me -H "Authorization: Bearer $ATRIUM_KEY"`} />
    </>
  )
}

function Figures({ summary }: { readonly summary: LogSummary | undefined }) {
  return (
    <>
      <div className="dev-stats">
        <Stat label="Requests" value={shown(summary?.requests)} />
        <Stat label="Failed" value={shown(summary?.errors)} hint={shareOf(summary)} />
        <Stat label="Keys and consoles" value={shown(summary?.credentials.length)} />
      </div>
      <Card>
        <div className="dev-chart">
          {summary === undefined ? <Skeleton height="100%" /> : <Chart summary={summary} />}
        </div>
      </Card>
      {summary !== undefined && <Groups summary={summary} />}
    </>
  )
}

/** How long they are is only known with them, so nothing of them stands there before. */
function Groups({ summary }: { readonly summary: LogSummary }) {
  return (
    <>
      {!summary.complete && (
        <p className="subtle">
          There were more requests than are added up here: this reaches back <RelativeTime at={summary.from} /> only.
        </p>
      )}
      <Section title="Errors" description="By code and operation. Each leads to the requests that got it.">
        <Table
          label="Errors"
          columns={error_columns}
          rows={summary.errors_by_code}
          rowKey={({ code, operation }) => `${code} ${operation}`}
          to={({ code, operation }) => `/developers/requests?code=${code}&operation=${operation}`}
          empty={<Empty plain title="Nothing failed in this time" />}
          expected={3}
        />
      </Section>
      <Section title="Operations" description="The busiest first.">
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

function shown(value: number | undefined) {
  return value === undefined ? <Skeleton width="4rem" /> : value.toLocaleString('en')
}

function shareOf(summary: LogSummary | undefined): string {
  if (summary === undefined) return ' '
  return `${((100 * summary.errors) / Math.max(1, summary.requests)).toFixed(1)} % of all`
}

function Chart({ summary: { buckets, requests, errors } }: { readonly summary: LogSummary }) {
  return (
    <Sparkline
      values={buckets.map((bucket) => bucket.requests)}
      marked={buckets.map((bucket) => bucket.errors)}
      label={`${requests.toLocaleString('en')} requests over time, ${errors.toLocaleString('en')} of them failed`}
      width={960}
      height={72}
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
    title: 'Last',
    width: '8rem',
    from: 'wide',
    bare: true,
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
  { key: 'errors', title: 'Failed', width: '5rem', align: 'end', cell: ({ errors }) => errors.toLocaleString('en') },
  { key: 'p50', title: 'Median', width: '6rem', align: 'end', from: 'wide', cell: ({ p50_ms }) => duration(p50_ms) },
  { key: 'p99', title: '99 of 100', width: '6rem', align: 'end', from: 'wide', cell: ({ p99_ms }) => duration(p99_ms) },
]

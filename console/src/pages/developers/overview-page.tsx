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
  formatLanguage,
  Page,
  RelativeTime,
  Section,
  Segments,
  Skeleton,
  Stat,
  Table,
  type TableColumn,
} from '../../design/index.ts'
import { rich, t, textLanguage } from '../../language/index.ts'
import { useLogSummary, windows } from './request-log.tsx'

export function OverviewPage() {
  const [chosen, setWindow] = useUrlParam('window', '24h')
  const window = (windows.find(({ value }) => value === chosen)?.value ?? '24h') as LogWindow
  const summary = useLogSummary(window)
  return (
    <Page
      title={t('API activity')}
      description={t('Requests of this organization’s keys, tokens and console sessions.')}
      actions={<Segments label={t('Period')} value={window} choices={windows} onChange={setWindow} />}
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
        title={t('No requests in this period')}
        actions={<ButtonLink to="/developers/keys">{t('API keys')}</ButtonLink>}
      >
        {t('Requests appear here within seconds. Create a key and try:')}
      </Empty>
      <CodeBlock code={`curl ${location.origin}/v1/me -H "Authorization: Bearer $ATRIUM_KEY"`} />
    </>
  )
}

function Figures({ summary }: { readonly summary: LogSummary | undefined }) {
  return (
    <>
      <div className="dev-stats">
        <Stat label={t('Requests')} value={countText(summary?.requests)} />
        <Stat label={t('Errors')} value={countText(summary?.errors)} hint={errorShare(summary)} />
        <Stat label={t('Callers')} value={countText(summary?.credentials.length)} />
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
          {rich('There are too many requests to count all of them. The figures start {relativeTime}.', {
            relativeTime: <RelativeTime at={summary.from} />,
          })}
        </p>
      )}
      <Section title={t('Errors')} description={t('By code and operation.')}>
        <Table
          label={t('Errors')}
          columns={error_columns}
          rows={summary.errors_by_code}
          rowKey={({ code, operation }) => `${code} ${operation}`}
          to={({ code, operation }) => `/developers/requests?code=${code}&operation=${operation}`}
          empty={<Empty plain title={t('No errors in this period')} />}
          expected={3}
        />
      </Section>
      <Section title={t('Operations')} description={t('Busiest first.')}>
        <Table
          label={t('Operations')}
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
  return value === undefined ? <Skeleton width="4rem" /> : value.toLocaleString(formatLanguage())
}

function errorShare(summary: LogSummary | undefined): string {
  if (summary === undefined) return ' '
  return t('{value}% of requests', { value: ((100 * summary.errors) / Math.max(1, summary.requests)).toFixed(1) })
}

function RequestChart({ summary: { buckets, requests, errors } }: { readonly summary: LogSummary }) {
  const times = buckets.map(({ at }) => dateTime(at))
  return (
    <Chart
      title={t('Requests over time')}
      summary={t('{requests} requests, {errors} errors', {
        requests: requests.toLocaleString(textLanguage()),
        errors: errors.toLocaleString(textLanguage()),
      })}
      labels={times}
      isStacked
      isNewestFirst
      series={[
        { name: t('Succeeded'), tone: 'accent', values: buckets.map((bucket) => bucket.requests - bucket.errors) },
        { name: t('Errors'), tone: 'bad', values: buckets.map((bucket) => bucket.errors) },
      ]}
    />
  )
}

const error_columns: readonly TableColumn<LogSummary['errors_by_code'][number]>[] = [
  { key: 'code', title: t('Code'), cell: ({ code }) => <span className="dev-mono">{code}</span> },
  {
    key: 'operation',
    title: t('Operation'),
    from: 'wide',
    cell: ({ operation }) => <span className="dev-mono">{operation}</span>,
  },
  { key: 'param', title: t('Parameter'), from: 'widest', width: '10rem', cell: ({ param }) => param ?? '—' },
  {
    key: 'count',
    title: t('Count'),
    width: '5rem',
    align: 'end',
    cell: ({ count }) => count.toLocaleString(formatLanguage()),
  },
  {
    key: 'last',
    title: t('Last seen'),
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
  { key: 'operation', title: t('Operation'), cell: ({ operation }) => <span className="dev-mono">{operation}</span> },
  {
    key: 'requests',
    title: t('Requests'),
    width: '6rem',
    align: 'end',
    cell: ({ requests }) => requests.toLocaleString(formatLanguage()),
  },
  {
    key: 'errors',
    title: t('Errors'),
    width: '5rem',
    align: 'end',
    cell: ({ errors }) => errors.toLocaleString(formatLanguage()),
  },
  { key: 'p50', title: t('p50'), width: '6rem', align: 'end', from: 'wide', cell: ({ p50_ms }) => duration(p50_ms) },
  { key: 'p99', title: t('p99'), width: '6rem', align: 'end', from: 'wide', cell: ({ p99_ms }) => duration(p99_ms) },
]

/** The state of the installation, for owners: workers, queues, storage and warnings. */
import './operator.css'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp } from '../../data/index.ts'
import type { OperatorReport, WorkerReport } from '../../data/shapes.ts'
import {
  CodeBlock,
  duration,
  Fact,
  Facts,
  Gauge,
  inWords,
  Notice,
  Page,
  RelativeTime,
  Section,
  Skeleton,
  SkeletonLines,
  Stat,
  StatusBadge,
  Table,
  type TableColumn,
} from '../../design/index.ts'

/** Polled, because no event announces changes of it. */
const poll_ms = 10_000

export function OperatorPage() {
  const report = useApp('GET operator', {}, { every_ms: poll_ms })
  const { data } = report
  return (
    <Page
      title="Operator"
      description="The state of this installation across all organizations, refreshed every ten seconds."
    >
      {report.error && data === undefined ? (
        <ErrorState error={report.error} onRetry={() => void report.refetch()} />
      ) : (
        <>
          <Stats report={data} />
          {data === undefined ? <SkeletonLines lines={12} /> : <Report report={data} />}
        </>
      )}
    </Page>
  )
}

function Stats({ report }: { readonly report: OperatorReport | undefined }) {
  const unhealthy = report?.workers.filter(({ state }) => state === 'failing' || state === 'late').length
  const queued = report?.queues.reduce((sum, queue) => sum + queue.waiting, 0)
  return (
    <div className="operator-figures">
      <Stat label="Unhealthy workers" value={countText(unhealthy)} />
      <Stat label="Queued jobs" value={countText(queued)} />
      <Stat label="Open streams" value={countText(report?.process.open_streams)} />
      <Stat
        label="Memory"
        value={report === undefined ? <Skeleton width="4rem" /> : size(report.process.resident_bytes)}
      />
    </div>
  )
}

function countText(value: number | undefined) {
  return value === undefined ? <Skeleton width="3rem" /> : value.toLocaleString('en')
}

function Report({ report }: { readonly report: OperatorReport }) {
  return (
    <>
      <Warnings report={report} />
      <Section title="Workers" description="Background work of the server.">
        <Table label="Workers" columns={columns} rows={report.workers} rowKey={({ name }) => name} />
      </Section>
      <Section title="Queues">
        <Facts>
          {report.queues.map(({ name, waiting, oldest_at }) => (
            <Fact key={name} name={inWords(name)}>
              {waiting.toLocaleString('en')}
              {oldest_at !== null && (
                <span className="subtle">
                  , oldest due <RelativeTime at={oldest_at} />
                </span>
              )}
            </Fact>
          ))}
        </Facts>
      </Section>
      <Section title="Storage">
        <Storage report={report} />
      </Section>
      <Section title="Diagnostics" description="Check the installation for risks of data loss, and back it up.">
        <CodeBlock code={'atrium doctor\natrium backup atrium.backup'} />
      </Section>
    </>
  )
}

function Warnings({ report }: { readonly report: OperatorReport }) {
  const { database, process, disk } = report
  const isFull = disk !== null && disk.free_bytes < disk.size_bytes / 20
  return (
    <>
      {database.pending_migrations.length > 0 && (
        <Notice tone="bad" title="Database migrations are pending">
          Run <code>atrium migrate</code> to apply {database.pending_migrations.join(', ')}.
        </Notice>
      )}
      {isFull && (
        <Notice tone="bad" title="The disk is nearly full">
          When it is full, writes are refused. Acknowledged writes are safe. Free some space.
        </Notice>
      )}
      {process.lost_log_entries > 0 && (
        <Notice tone="warn" title="Request log entries were dropped">
          {process.lost_log_entries.toLocaleString('en')} since the process started: the database did not keep up.
        </Notice>
      )}
    </>
  )
}

function Storage({ report: { database, disk, program, process } }: { readonly report: OperatorReport }) {
  return (
    <div className="stack">
      {disk !== null && (
        <Gauge
          label={`Disk at ${disk.path}`}
          used={disk.size_bytes - disk.free_bytes}
          limit={disk.size_bytes}
          unit={size}
          hint={`${size(disk.free_bytes)} free`}
        />
      )}
      <Facts>
        <Fact name="Database">{`${database.engine} ${database.version}`}</Fact>
        {database.bytes !== null && <Fact name="Size">{size(database.bytes)}</Fact>}
        {database.wal_bytes !== null && <Fact name="Write-ahead log">{size(database.wal_bytes)}</Fact>}
        <Fact name="Organizations">{database.organizations.toLocaleString('en')}</Fact>
        {Object.entries(database.settings).map(([name, value]) => (
          <Fact key={name} name={inWords(name)}>
            {value}
          </Fact>
        ))}
        <Fact name="Version">{`Atrium ${program.version}, Node ${program.node}`}</Fact>
        <Fact name="Started">
          <RelativeTime at={program.started_at} />
        </Fact>
        <Fact name="CPU time">{duration(process.cpu_seconds * 1000)}</Fact>
      </Facts>
    </div>
  )
}

function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** step
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${units[step]}`
}

const columns: readonly TableColumn<WorkerReport>[] = [
  {
    key: 'name',
    title: 'Worker',
    cell: ({ name, does, last_error }) => (
      <>
        <div>{inWords(name)}</div>
        <div className={last_error === null ? 'subtle' : 'operator-error'}>{last_error ?? does}</div>
      </>
    ),
  },
  {
    key: 'state',
    title: 'Status',
    width: '8rem',
    cell: ({ state }) => <StatusBadge status={state === 'never' ? 'not_run_yet' : state} />,
  },
  {
    key: 'done',
    title: 'Done',
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ done }) => done.toLocaleString('en'),
  },
  {
    key: 'failed',
    title: 'Failed',
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ failed }) => failed.toLocaleString('en'),
  },
  {
    key: 'lag',
    title: 'Delay',
    width: '6rem',
    align: 'end',
    from: 'widest',
    cell: ({ lag_seconds }) => (lag_seconds === null || lag_seconds === 0 ? '—' : duration(lag_seconds * 1000)),
  },
  {
    key: 'last',
    title: 'Last run',
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_ended_at }) => <RelativeTime at={last_ended_at} none="Never" />,
  },
]

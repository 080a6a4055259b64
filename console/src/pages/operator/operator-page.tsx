/** How the installation fares, for owners: its workers, its storage, what waits, and what would make it lose data. */
import './operator.css'
import { ErrorState } from '../../app/error-state.tsx'
import { useApp } from '../../data/index.ts'
import type { OperatorReport, WorkerReport } from '../../data/shapes.ts'
import {
  Badge,
  CodeBlock,
  Fact,
  Facts,
  Gauge,
  Notice,
  Page,
  RelativeTime,
  Section,
  Skeleton,
  SkeletonLines,
  Stat,
  Table,
  type TableColumn,
  type Tone,
} from '../../design/index.ts'

/** No event tells of it. */
const again_ms = 10_000

export function OperatorPage() {
  const report = useApp('GET operator', {}, { every_ms: again_ms })
  const { data } = report
  return (
    <Page
      title="Operator"
      description="The installation as a whole: all organizations together, names of none. Read again every ten seconds."
    >
      {report.error && data === undefined ? (
        <ErrorState error={report.error} onRetry={() => void report.refetch()} />
      ) : (
        <>
          <Figures report={data} />
          {data === undefined ? <SkeletonLines lines={12} /> : <Report report={data} />}
        </>
      )}
    </Page>
  )
}

function Figures({ report }: { readonly report: OperatorReport | undefined }) {
  const bad = report?.workers.filter(({ state }) => state === 'failing' || state === 'late').length
  const waiting = report?.queues.reduce((sum, queue) => sum + queue.waiting, 0)
  return (
    <div className="operator-figures">
      <Stat label="Workers in trouble" value={shown(bad)} />
      <Stat label="Waiting jobs" value={shown(waiting)} />
      <Stat label="Open streams" value={shown(report?.process.open_streams)} />
      <Stat
        label="Memory"
        value={report === undefined ? <Skeleton width="4rem" /> : size(report.process.resident_bytes)}
      />
    </div>
  )
}

function shown(value: number | undefined) {
  return value === undefined ? <Skeleton width="3rem" /> : value.toLocaleString('en')
}

function Report({ report }: { readonly report: OperatorReport }) {
  return (
    <>
      <Warnings report={report} />
      <Section title="Workers" description="Everything that runs without a request.">
        <Table label="Workers" columns={columns} rows={report.workers} rowKey={({ name }) => name} />
      </Section>
      <Section title="Queues">
        <Facts>
          {report.queues.map(({ name, waiting, oldest_at }) => (
            <Fact key={name} name={name}>
              {waiting.toLocaleString('en')}
              {oldest_at !== null && (
                <span className="subtle">
                  {' '}
                  the first due <RelativeTime at={oldest_at} />
                </span>
              )}
            </Fact>
          ))}
        </Facts>
      </Section>
      <Section title="Storage">
        <Storage report={report} />
      </Section>
      <Section
        title="A closer look"
        description="What would make this installation lose data, and how to keep a copy of it."
      >
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
        <Notice tone="bad" title="The database is behind the program">
          Run atrium migrate: {database.pending_migrations.join(', ')}.
        </Notice>
      )}
      {isFull && (
        <Notice tone="bad" title="The disk is nearly full">
          Writes are refused when it is: nothing acknowledged is lost, but nothing new is taken.
        </Notice>
      )}
      {process.lost_log_entries > 0 && (
        <Notice tone="warn" title="Entries of the request log were lost">
          {process.lost_log_entries.toLocaleString('en')} since the process was started: the store did not take them in
          time.
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
          label={`Disk of ${disk.path}`}
          used={disk.size_bytes - disk.free_bytes}
          limit={disk.size_bytes}
          unit={size}
          hint={`${size(disk.free_bytes)} free`}
        />
      )}
      <Facts>
        <Fact name="Database">{`${database.engine} ${database.version}`}</Fact>
        {database.bytes !== null && <Fact name="Size">{size(database.bytes)}</Fact>}
        {database.wal_bytes !== null && <Fact name="Log beside it">{size(database.wal_bytes)}</Fact>}
        <Fact name="Organizations">{database.organizations.toLocaleString('en')}</Fact>
        {Object.entries(database.settings).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="Program">{`${program.version}, Node ${program.node}`}</Fact>
        <Fact name="Started">
          <RelativeTime at={program.started_at} />
        </Fact>
        <Fact name="Processor time">{`${process.cpu_seconds.toLocaleString('en')} s`}</Fact>
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

const tones: Readonly<Record<WorkerReport['state'], Tone>> = {
  ok: 'good',
  running: 'info',
  failing: 'bad',
  late: 'warn',
  never: 'neutral',
}

const columns: readonly TableColumn<WorkerReport>[] = [
  {
    key: 'name',
    title: 'Worker',
    cell: ({ name, does, last_error }) => (
      <>
        <div>{name.replaceAll('_', ' ')}</div>
        <div className={last_error === null ? 'subtle' : 'operator-error'}>{last_error ?? does}</div>
      </>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: '7rem',
    cell: ({ state }) => (
      <Badge tone={tones[state]} dot>
        {state}
      </Badge>
    ),
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
    title: 'Late by',
    width: '6rem',
    align: 'end',
    from: 'widest',
    cell: ({ lag_seconds }) => (lag_seconds === null || lag_seconds === 0 ? '—' : `${lag_seconds} s`),
  },
  {
    key: 'last',
    title: 'Last run',
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_ended_at }) => <RelativeTime at={last_ended_at} none="never" />,
  },
]

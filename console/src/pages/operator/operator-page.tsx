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
  formatLanguage,
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
import { rich, t, textLanguage } from '../../language/index.ts'
import { DeadLetters } from './dead-letters.tsx'

/** Polled, because no event announces changes of it. */
const poll_ms = 10_000

export function OperatorPage() {
  const report = useApp('GET operator', {}, { every_ms: poll_ms })
  const { data } = report
  return (
    <Page
      title={t('Operator')}
      description={t('The state of this installation across all organizations, refreshed every ten seconds.')}
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
      <Stat label={t('Unhealthy workers')} value={countText(unhealthy)} />
      <Stat label={t('Queued jobs')} value={countText(queued)} />
      <Stat label={t('Open streams')} value={countText(report?.process.open_streams)} />
      <Stat
        label={t('Memory')}
        value={report === undefined ? <Skeleton width="4rem" /> : size(report.process.resident_bytes)}
      />
    </div>
  )
}

function countText(value: number | undefined) {
  return value === undefined ? <Skeleton width="3rem" /> : value.toLocaleString(formatLanguage())
}

function Report({ report }: { readonly report: OperatorReport }) {
  return (
    <>
      <Warnings report={report} />
      <Section title={t('Workers')} description={t('Background work of the server.')}>
        <Table label={t('Workers')} columns={columns} rows={report.workers} rowKey={({ name }) => name} />
      </Section>
      <Section title={t('Queues')}>
        <Facts>
          {report.queues.map(({ name, waiting, oldest_at }) => (
            <Fact key={name} name={inWords(name)}>
              {waiting.toLocaleString(formatLanguage())}
              {oldest_at !== null && (
                <span className="subtle">
                  {t(', oldest due')} <RelativeTime at={oldest_at} />
                </span>
              )}
            </Fact>
          ))}
        </Facts>
      </Section>
      <DeadLetters />
      <Section title={t('Storage')}>
        <Storage report={report} />
      </Section>
      <Section
        title={t('Diagnostics')}
        description={t('Check the installation for risks of data loss, and back it up.')}
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
        <Notice tone="bad" title={t('Database migrations are pending')}>
          {rich('Run {code} to apply {pending_migrations}.', {
            code: <code>atrium migrate</code>,
            pending_migrations: database.pending_migrations.join(', '),
          })}
        </Notice>
      )}
      {isFull && (
        <Notice tone="bad" title={t('The disk is nearly full')}>
          {t('When it is full, writes are refused. Acknowledged writes are safe. Free some space.')}
        </Notice>
      )}
      {process.lost_log_entries > 0 && (
        <Notice tone="warn" title={t('Request log entries were dropped')}>
          {t('{lost_log_entries} since the process started: the database did not keep up.', {
            lost_log_entries: process.lost_log_entries.toLocaleString(textLanguage()),
          })}
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
          label={t('Disk at {path}', { path: disk.path })}
          used={disk.size_bytes - disk.free_bytes}
          limit={disk.size_bytes}
          unit={size}
          hint={t('{free_bytes} free', { free_bytes: size(disk.free_bytes) })}
        />
      )}
      <Facts>
        <Fact name={t('Database')}>{`${database.engine} ${database.version}`}</Fact>
        {database.bytes !== null && <Fact name={t('Size')}>{size(database.bytes)}</Fact>}
        {database.wal_bytes !== null && <Fact name={t('Write-ahead log')}>{size(database.wal_bytes)}</Fact>}
        <Fact name={t('Organizations')}>{database.organizations.toLocaleString(formatLanguage())}</Fact>
        {Object.entries(database.settings).map(([name, value]) => (
          <Fact key={name} name={inWords(name)}>
            {value}
          </Fact>
        ))}
        <Fact name={t('Version')}>
          {t('Atrium {version}, Node {node}', { version: program.version, node: program.node })}
        </Fact>
        <Fact name={t('Started')}>
          <RelativeTime at={program.started_at} />
        </Fact>
        <Fact name={t('CPU time')}>{duration(process.cpu_seconds * 1000)}</Fact>
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
    title: t('Worker'),
    cell: ({ name, does, last_error }) => (
      <>
        <div>{inWords(name)}</div>
        <div className={last_error === null ? 'subtle' : 'operator-error'}>{last_error ?? does}</div>
      </>
    ),
  },
  {
    key: 'state',
    title: t('Status'),
    width: '8rem',
    cell: ({ state }) => <StatusBadge status={state === 'never' ? 'not_run_yet' : state} />,
  },
  {
    key: 'done',
    title: t('Done'),
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ done }) => done.toLocaleString(formatLanguage()),
  },
  {
    key: 'failed',
    title: t('Failed'),
    width: '5rem',
    align: 'end',
    from: 'wide',
    cell: ({ failed }) => failed.toLocaleString(formatLanguage()),
  },
  {
    key: 'lag',
    title: t('Delay'),
    width: '6rem',
    align: 'end',
    from: 'widest',
    cell: ({ lag_seconds }) => (lag_seconds === null || lag_seconds === 0 ? '—' : duration(lag_seconds * 1000)),
  },
  {
    key: 'last',
    title: t('Last run'),
    width: '8rem',
    align: 'end',
    from: 'wide',
    cell: ({ last_ended_at }) => <RelativeTime at={last_ended_at} none={t('Never')} />,
  },
]

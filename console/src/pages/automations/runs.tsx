/** The runs of a flow or of all flows of a workspace: chips that filter them, and the list. */
import './automations.css'
import type { AutomationRun } from '@atrium/sdk'
import { ListTable } from '../../app/list-table.tsx'
import { useDirectory, useList } from '../../data/index.ts'
import { Button, duration, Empty, inWords, RelativeTime, StatusBadge, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { reasonText } from './flow-text.tsx'
import { RunFilterBar } from './run-filter-bar.tsx'
import { hasFilters, no_filters, type RunFilters, runQuery, useRunFilters } from './run-filters.ts'

interface RunsProps {
  readonly workspace: string
  /** Without a flow the runs of all flows are listed. */
  readonly flow?: string
}

/** Runs, newest first, updated live. The filters are in the address. */
export function Runs({ workspace, flow }: RunsProps) {
  const { filters, set } = useRunFilters()
  const applied = flow === undefined ? filters : { ...filters, flow }
  const query = { workspace, ...runQuery(applied, Date.now()) }
  const list = useList('automation_run', query, (atrium, cursor) =>
    atrium.automationRuns.list({ ...query, limit: 50, ...(cursor === undefined ? {} : { cursor }) }),
  )
  const isFiltered = hasFilters(flow === undefined ? filters : { ...filters, flow: null })
  return (
    <div className="run-list">
      <RunFilterBar workspace={workspace} filters={filters} onChange={set} hasFlows={flow === undefined} />
      <ListTable
        list={list}
        label={t('Runs')}
        columns={columnsOf(flow === undefined, applied)}
        rowKey={(run) => run.id}
        to={(run) => `/automations/runs/${run.id}?workspace=${run.workspace}`}
        empty={isFiltered ? <NoMatches onClear={set} /> : <NoRuns />}
        expected={4}
      />
    </div>
  )
}

export function NoRuns() {
  return (
    <Empty plain title={t('No runs yet')}>
      {t('A run appears here each time the trigger fires. Skipped runs are listed with the reason.')}
    </Empty>
  )
}

function NoMatches({ onClear }: { readonly onClear: (filters: RunFilters) => void }) {
  return (
    <Empty
      plain
      title={t('No runs match')}
      actions={<Button onClick={() => onClear(no_filters)}>{t('Clear filter')}</Button>}
    >
      {t('Remove a filter to see more. Runs are kept for 30 days after their end.')}
    </Empty>
  )
}

function detailsOf({ failure, status_reason, trigger }: AutomationRun): string {
  if (failure !== null) return failure.message
  return status_reason === null
    ? t('Triggered by “{node}”', { node: inWords(trigger.node) })
    : reasonText(status_reason)
}

/** Times of runs are whole seconds. */
function runDuration(seconds: number): string {
  return seconds === 0 ? t('under 1 s') : duration(seconds * 1000)
}

const status: TableColumn<AutomationRun> = {
  ...{ key: 'status', title: t('Status'), width: '8rem' },
  cell: (run) => <StatusBadge status={run.status} />,
}

const details: TableColumn<AutomationRun> = {
  ...{ key: 'details', title: t('Details') },
  cell: (run) => <span className="cut">{detailsOf(run)}</span>,
}

const lasted: TableColumn<AutomationRun> = {
  ...{ key: 'duration', title: t('Duration'), width: '6rem', align: 'end', from: 'wide' },
  cell: ({ started_at, ended_at }) =>
    started_at === null || ended_at === null ? '—' : runDuration(ended_at - started_at),
}

const created: TableColumn<AutomationRun> = {
  ...{ key: 'at', title: t('Created'), width: '8rem', align: 'end' },
  cell: (run) => <RelativeTime at={run.created} />,
}

/** In place of the creation where the list is in the order of the ends. */
const ended: TableColumn<AutomationRun> = {
  ...created,
  title: t('Ended'),
  cell: (run) => <RelativeTime at={run.ended_at} none="—" />,
}

function columnsOf(hasFlow: boolean, { time, timeOf }: RunFilters): readonly TableColumn<AutomationRun>[] {
  return [...(hasFlow ? allColumns : [status, details, lasted]), time !== null && timeOf === 'ended' ? ended : created]
}

function FlowName({ id }: { readonly id: string }) {
  const { nameOf, isLoaded } = useDirectory()
  return <span className="run-flow">{isLoaded ? nameOf(id) : '…'}</span>
}

/** With the flow that ran, which says more than the details where there is room for one of them. */
const allColumns: readonly TableColumn<AutomationRun>[] = [
  status,
  { key: 'flow', title: t('Flow'), cell: ({ automation_flow }) => <FlowName id={automation_flow} /> },
  { ...details, from: 'wide' },
  lasted,
]

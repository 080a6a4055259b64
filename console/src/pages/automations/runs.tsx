import type { AutomationFlow, AutomationRun } from '@atrium/sdk'
import { ErrorState } from '../../app/error-state.tsx'
import { useList } from '../../data/index.ts'
import { duration, Empty, More, RelativeTime, Table, type TableColumn } from '../../design/index.ts'
import { RunStatus } from './flow-words.tsx'

/** The runs of a flow, the newest first; they change while one looks. */
export function Runs({ flow }: { readonly flow: AutomationFlow }) {
  const { id: automation_flow, workspace } = flow
  const list = useList('automation_run', { workspace, automation_flow }, (atrium, cursor) =>
    atrium.automationRuns.list({
      workspace,
      automation_flow,
      limit: 50,
      ...(cursor === undefined ? {} : { cursor }),
    }),
  )
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} />
  return (
    <>
      <Table
        label="Runs"
        columns={columns}
        rows={list.rows}
        rowKey={(run) => run.id}
        to={(run) => `/automations/runs/${run.id}?workspace=${run.workspace}`}
        empty={
          <Empty plain title="It has not run yet">
            A run appears here when its trigger fires; also one that was held back, with the reason.
          </Empty>
        }
        expected={4}
      />
      {list.rows !== undefined && list.rows.length > 0 && (
        <More hasMore={list.hasMore} busy={list.isLoadingMore} onMore={list.more} shown={list.rows.length} />
      )}
    </>
  )
}

const columns: readonly TableColumn<AutomationRun>[] = [
  { key: 'status', title: 'Status', width: '8rem', cell: ({ status }) => <RunStatus status={status} /> },
  {
    key: 'why',
    title: 'What happened',
    cell: ({ status_reason, failure, trigger }) => (
      <span className="cut">{failure?.message ?? status_reason ?? `by ${trigger.node}`}</span>
    ),
  },
  {
    key: 'took',
    title: 'Took',
    width: '6rem',
    align: 'end',
    from: 'wide',
    cell: ({ started_at, ended_at }) =>
      started_at === null || ended_at === null ? '—' : duration((ended_at - started_at) * 1000),
  },
  { key: 'at', title: 'When', width: '8rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]

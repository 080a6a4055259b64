import type { AutomationFlow, AutomationRun } from '@atrium/sdk'
import { ListTable } from '../../app/list-table.tsx'
import { useList } from '../../data/index.ts'
import { duration, Empty, inWords, RelativeTime, StatusBadge, type TableColumn } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { reasonText } from './flow-text.tsx'

/** The runs of a flow, newest first, updated live. */
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
  return (
    <ListTable
      list={list}
      label={t('Runs')}
      columns={columns}
      rowKey={(run) => run.id}
      to={(run) => `/automations/runs/${run.id}?workspace=${run.workspace}`}
      empty={
        <Empty plain title={t('No runs yet')}>
          {t('A run appears here each time the trigger fires. Skipped runs are listed with the reason.')}
        </Empty>
      }
      expected={4}
    />
  )
}

function detailsOf({ failure, status_reason, trigger }: AutomationRun): string {
  if (failure !== null) return failure.message
  return status_reason === null
    ? t('Triggered by “{node}”', { node: inWords(trigger.node) })
    : reasonText(status_reason)
}

const columns: readonly TableColumn<AutomationRun>[] = [
  { key: 'status', title: t('Status'), width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { key: 'details', title: t('Details'), cell: (run) => <span className="cut">{detailsOf(run)}</span> },
  {
    key: 'duration',
    title: t('Duration'),
    width: '6rem',
    align: 'end',
    from: 'wide',
    cell: ({ started_at, ended_at }) =>
      started_at === null || ended_at === null ? '—' : duration((ended_at - started_at) * 1000),
  },
  { key: 'at', title: t('Created'), width: '8rem', align: 'end', cell: ({ created }) => <RelativeTime at={created} /> },
]
